import { useEffect, useRef, useState } from 'react'
import { Button } from '../controls/button.tsx'
import type { useListing } from './listing.ts'

/** Says among how many items a search looks, and offers to read the others. */
export function SearchNote({ list, found }: { list: ReturnType<typeof useListing>; found: number }) {
  const [isReading, setReading] = useState(false)
  const isLeft = useRef(false)
  useEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
    }
  }, [])
  const readAll = async () => {
    setReading(true)
    let page = await list.fetchNextPage()
    while (page.hasNextPage && !page.isError && !isLeft.current) page = await page.fetchNextPage()
    setReading(false)
  }
  return (
    <div className="row small" role="status">
      {found.toLocaleString('en')} among the {list.items.length.toLocaleString('en')} loaded
      {list.hasNextPage && (
        <Button isPending={isReading} onPress={() => void readAll()}>
          Load the rest
        </Button>
      )}
    </div>
  )
}

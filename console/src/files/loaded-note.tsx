import { useEffect, useRef, useState } from 'react'
import { Button } from '../controls/button.tsx'
import { formatCount } from '../controls/format.ts'
import type { useListing } from './listing.ts'

interface Props {
  list: ReturnType<typeof useListing>
  /** How many of the loaded items a search has found; undefined: there is no search. */
  found: number | undefined
}

/** Says among how many loaded items the page searches or sorts, and offers to load the others. */
export function LoadedNote({ list, found }: Props) {
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
      {found === undefined
        ? `Sorted among the ${formatCount(list.items.length, 'item')} that are loaded. The folder has more.`
        : `${found.toLocaleString('en')} among the ${list.items.length.toLocaleString('en')} loaded`}
      {list.hasNextPage && (
        <Button isPending={isReading} onPress={() => void readAll()}>
          Load the rest
        </Button>
      )}
    </div>
  )
}

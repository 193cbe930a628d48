import { type RefObject, useEffect, useState } from 'react'
import { Button } from 'react-aria-components'
import { Icon } from '../controls/icon.tsx'
import type { View } from './listing.ts'
import { type Sort, sortedBy } from './order.ts'

interface Props {
  view: View
  onView: (view: View) => void
}

/** The heads of the columns of a list. A press sorts by the column, and another one reverses the order. */
export function ListHead({ list, ...props }: Props & { list: RefObject<HTMLElement | null> }) {
  const scrollbar = useScrollbar(list)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
    <div className="list-head" role="group" aria-label="Columns" style={{ marginRight: scrollbar }}>
      <Column {...props} by="name" title="Name" />
      <Column {...props} by="size_bytes" title="Size" />
      <Column {...props} by="updated_at" title="Modified" />
    </div>
  )
}

function Column({ view, onView, by, title }: Props & { by: Sort; title: string }) {
  const isSorted = view.sort === by
  const order = view.order === 'asc' ? 'ascending' : 'descending'
  return (
    <Button
      className={`column-head of-${by}`}
      aria-label={isSorted ? `${title}, ${order}. Reverse the order` : `Sort by ${title}`}
      onPress={() => onView(sortedBy(view, by))}
    >
      {title}
      {isSorted && (
        <span className={order}>
          <Icon name="arrow" size={14} />
        </span>
      )}
    </Button>
  )
}

/** How many pixels of an element's width its scroll bar takes now. */
function useScrollbar(element: RefObject<HTMLElement | null>): number {
  const [pixels, setPixels] = useState(0)
  useEffect(() => {
    const { current } = element
    if (!current) return
    // What a scroll bar takes, the content loses.
    const observer = new ResizeObserver(() => setPixels(current.offsetWidth - current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return pixels
}

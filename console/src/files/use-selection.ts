import { useEffect, useMemo, useRef, useState } from 'react'
import { usePlace } from '../shell/place.tsx'
import type { Item } from './item.ts'

const none: ReadonlySet<string> = new Set()

/**
 * The items that are selected for a common action, and the id of the current item, whose details are shown. The current item is in
 * the address, so that a link can name it: a folder that was just created, or, with the details beside the list, the one item that is
 * selected.
 */
export function useSelection(items: readonly Item[], isPending: boolean, areDetailsBeside: boolean) {
  const { query, change } = usePlace()
  const current = query.selected || undefined
  const [ids, setIds] = useState(none)
  // Not the items that were deleted since, or that a search hides.
  const chosen = useMemo(() => (ids.size === 0 ? [] : items.filter(({ id }) => ids.has(id))), [items, ids])
  const selected = useMemo(() => new Set(chosen.map(({ id }) => id)), [chosen])
  const select = (next: ReadonlySet<string>) => {
    const [first = ''] = next
    setIds(next)
    change({ selected: areDetailsBeside && next.size === 1 ? first : '' })
  }

  // An item that leaves the list, because it was deleted or moved, is no longer the current one.
  const listed = useRef<string>(undefined)
  useEffect(() => {
    if (isPending || current === undefined) return
    if (items.some(({ id }) => id === current)) listed.current = current
    else if (listed.current === current) {
      listed.current = undefined
      change({ selected: '' })
    }
  })
  return { chosen, selected, select, current, show: (id: string) => change({ selected: id }) }
}

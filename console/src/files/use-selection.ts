import { useEffect, useMemo, useRef, useState } from 'react'
import { usePlace } from '../shell/place.tsx'
import type { Item } from './item.ts'

const none: ReadonlySet<string> = new Set()

/** The ids of the selected items. That of a single one is in the address, so that a link can select it. */
export function useSelection({ items, isPending }: { items: readonly Item[]; isPending: boolean }) {
  const { query, change } = usePlace()
  const one = query.selected || undefined
  const [several, setSeveral] = useState(none)
  const selected = useMemo(() => (one === undefined ? several : new Set([one])), [one, several])
  const select = (ids: ReadonlySet<string>) => {
    const [first = ''] = ids
    setSeveral(ids.size > 1 ? ids : none)
    change({ selected: ids.size === 1 ? first : '' })
  }

  // An item that leaves the list, because it was deleted or moved, is no longer selected.
  const listed = useRef<string>(undefined)
  useEffect(() => {
    if (isPending || one === undefined) return
    if (items.some(({ id }) => id === one)) listed.current = one
    else if (listed.current === one) {
      listed.current = undefined
      change({ selected: '' })
    }
  })
  return { selected, select, one }
}

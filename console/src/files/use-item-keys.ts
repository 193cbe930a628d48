import type { KeyboardEvent } from 'react'
import { isText } from '../controls/notice.tsx'
import { useActions } from './actions.ts'
import { itemAround } from './context-menu.tsx'
import type { Item } from './item.ts'

interface Props {
  items: readonly Item[]
  /** The selected items. */
  chosen: readonly Item[]
  onRename: (id: string) => void
}

/** The keys of the row that has the focus: F2 renames its item, Delete deletes it, with the others that are selected with it. */
export function useItemKeys({ items, chosen, onRename }: Props): (event: KeyboardEvent) => void {
  const { remove } = useActions()
  return (event) => {
    const { key, target, repeat, ctrlKey, metaKey, shiftKey, altKey } = event
    const item = itemAround(target, items)
    if (!item || isText(target) || ctrlKey || shiftKey || altKey) return
    if (key === 'F2' && !metaKey) onRename(item.id)
    // A Mac's keyboard has no Delete: its Finder takes Cmd and Backspace.
    else if (metaKey ? key === 'Backspace' : key === 'Delete') {
      // The focus goes on to the next row: a key that is held would empty the folder.
      if (!repeat) void remove(chosen.includes(item) ? chosen : [item])
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}

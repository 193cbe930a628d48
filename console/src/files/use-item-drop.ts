import { useQueryClient } from '@tanstack/react-query'
import { type DragTypes, type DropItem, type DropOperation, isTextDropItem } from 'react-aria-components'
import { showError } from '../controls/notice.tsx'
import { droppedFiles } from '../uploads/chosen.ts'
import { useQueue } from '../uploads/uploads.tsx'
import { useActions } from './actions.ts'
import type { FolderId } from './item.ts'
import { listedItems } from './list-cache.ts'

/** The media type of dragged items: their ids. */
export const ITEM = 'application/x-console-item'

/** The operation of a drop: `move` for items, `copy` for files from the user's machine. */
export function dropOperation(types: DragTypes, allowed: readonly DropOperation[]): DropOperation {
  if (types.has(ITEM)) return 'move'
  return allowed.includes('copy') ? 'copy' : (allowed[0] ?? 'cancel')
}

/** Handles a drop on a folder: moves listed items into it, and uploads files from outside the page. */
export function useItemDrop() {
  const cache = useQueryClient()
  const queue = useQueue()
  const { move } = useActions()

  async function drop(dropped: readonly DropItem[], folder: FolderId, name: string): Promise<void> {
    const texts = dropped.filter(isTextDropItem).filter(({ types }) => types.has(ITEM))
    const ids = await Promise.all(texts.map((item) => item.getText(ITEM)))
    const moved = listedItems(cache, new Set(ids))
    if (moved.length > 0) await move(moved, folder, name)
    else await queue.addFiles(await droppedFiles(dropped), folder)
  }

  return (dropped: readonly DropItem[], folder: FolderId, name: string) =>
    void drop(dropped, folder, name).catch(showError)
}

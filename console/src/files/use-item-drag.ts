import { type DropItem, isTextDropItem, useDragAndDrop } from 'react-aria-components'
import { tellError } from '../controls/notice.tsx'
import { droppedFiles } from '../uploads/chosen.ts'
import { useQueue } from '../uploads/uploads.tsx'
import { useActions } from './actions.ts'
import { type FolderId, type Item, isFolder } from './item.ts'

/** The type of what is dragged: the items' ids. */
const TYPE = 'application/x-console-item'

/** Moves items into folders by drag, with the keyboard too, and uploads what is dropped from elsewhere. */
export function useItemDrag(folder: FolderId, items: readonly Item[]) {
  const queue = useQueue()
  const { move } = useActions()
  const itemAt = (key: unknown) => items.find(({ id }) => id === key)

  async function drop(dropped: readonly DropItem[], target: FolderId, name: string): Promise<void> {
    const texts = dropped.filter(isTextDropItem).filter(({ types }) => types.has(TYPE))
    const ids = new Set(await Promise.all(texts.map((item) => item.getText(TYPE))))
    const moved = items.filter(({ id }) => ids.has(id))
    if (moved.length > 0) await move(moved, target, name)
    else queue.addFiles(await droppedFiles(dropped), target)
  }

  const { dragAndDropHooks } = useDragAndDrop<Item>({
    getItems: (_, dragged) => dragged.map(({ id, name }) => ({ [TYPE]: id, 'text/plain': name })),
    getAllowedDropOperations: () => ['move'],
    getDropOperation: (_, types, allowed) =>
      types.has(TYPE) ? 'move' : allowed.includes('copy') ? 'copy' : (allowed[0] ?? 'cancel'),
    shouldAcceptItemDrop: ({ key }) => {
      const item = itemAt(key)
      return item !== undefined && isFolder(item)
    },
    onItemDrop: ({ items: dropped, target }) => {
      const item = itemAt(target.key)
      if (item) void drop(dropped, item.id, item.name).catch(tellError)
    },
    onRootDrop: ({ items: dropped }) => void drop(dropped, folder, 'this folder').catch(tellError),
  })
  return dragAndDropHooks
}

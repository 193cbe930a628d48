import { useDragAndDrop } from 'react-aria-components'
import { type FolderId, type Item, isFolder } from './item.ts'
import { dropOperation, ITEM, useItemDrop } from './use-item-drop.ts'

/** Drag and drop in the list, also by keyboard: moves items into folders, and uploads files from outside the page. */
export function useItemDrag(folder: FolderId, items: readonly Item[]) {
  const drop = useItemDrop()
  const itemAt = (key: unknown) => items.find(({ id }) => id === key)
  const { dragAndDropHooks } = useDragAndDrop<Item>({
    getItems: (_, dragged) => dragged.map(({ id, name }) => ({ [ITEM]: id, 'text/plain': name })),
    getAllowedDropOperations: () => ['move'],
    getDropOperation: (_, types, allowed) => dropOperation(types, allowed),
    shouldAcceptItemDrop: ({ key }) => {
      const item = itemAt(key)
      return item !== undefined && isFolder(item)
    },
    onItemDrop: ({ items: dropped, target }) => {
      const item = itemAt(target.key)
      if (item) drop(dropped, item.id, item.name)
    },
    onRootDrop: ({ items: dropped }) => drop(dropped, folder, 'this folder'),
  })
  return dragAndDropHooks
}

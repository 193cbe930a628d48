import { Button } from '../controls/button.tsx'
import { formatCount } from '../controls/format.ts'
import { MAX_URLS, useActions } from './actions.ts'
import { type Item, isFolder, isReady } from './item.ts'

interface Props {
  items: readonly Item[]
  onRename: (id: string) => void
  onMove: () => void
  onShare: (item: Item) => void
  /** Undefined while the details are shown. */
  onDetails: (() => void) | undefined
  onCleared: () => void
}

/** The actions on the selected items. Keeps its space without a selection, so that the list does not move. */
export function SelectionBar({ items, onRename, onMove, onShare, onDetails, onCleared }: Props) {
  const { remove, downloadAll } = useActions()
  const [item] = items
  if (!item)
    return (
      <div className="selection-bar quiet small">Select items to download, move or delete them together.</div>
    )
  const haveContent = items.every((one) => !isFolder(one) && isReady(one))
  return (
    <div className="selection-bar" role="toolbar" aria-label="Selected items">
      <span className="small">{formatCount(items.length, 'item')} selected</span>
      {onDetails && <Button onPress={onDetails}>Details</Button>}
      {items.length === 1 && <Button onPress={() => onRename(item.id)}>Rename</Button>}
      {items.length === 1 && !isFolder(item) && isReady(item) && (
        <Button onPress={() => onShare(item)}>Share</Button>
      )}
      {haveContent && items.length <= MAX_URLS && (
        <Button onPress={() => void downloadAll(items)}>Download</Button>
      )}
      <Button onPress={onMove}>Move</Button>
      <Button look="danger" onPress={() => void remove(items)}>
        Delete
      </Button>
      <Button look="quiet" onPress={onCleared}>
        Clear
      </Button>
    </div>
  )
}

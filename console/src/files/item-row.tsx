import { Button as AriaButton, Checkbox, GridListItem } from 'react-aria-components'
import { formatBytes, formatTime } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { type Item, iconOf, isFolder } from './item.ts'
import { ItemMenu } from './item-menu.tsx'
import type { Opened } from './list-dialogs.tsx'
import { Rename } from './rename.tsx'

interface Props {
  item: Item
  isRenamed: boolean
  /** Sets the item that is being renamed; undefined: none. */
  onRename: (id: string | undefined) => void
  onOpened: (opened: Opened) => void
}

export function ItemRow({ item, isRenamed, onRename, onOpened }: Props) {
  return (
    <GridListItem id={item.id} value={item} className="file-row" textValue={item.name}>
      <AriaButton slot="drag" className="button quiet grip" aria-label={`Move ${item.name}`}>
        <Icon name="grip" />
      </AriaButton>
      <Checkbox slot="selection" className="checkbox">
        <span className="box" />
      </Checkbox>
      <Icon name={iconOf(item)} />
      {isRenamed ? (
        <Rename item={item} onDone={() => onRename(undefined)} />
      ) : (
        <span className="spread row">
          <span className="cut">{item.name}</span>
          <Marks item={item} />
        </span>
      )}
      <span className="quiet small file-size">{isFolder(item) ? '' : formatBytes(item.size_bytes)}</span>
      <span className="quiet small file-time">{formatTime(item.created_at)}</span>
      <ItemMenu item={item} onRename={() => onRename(item.id)} onOpened={onOpened} />
    </GridListItem>
  )
}

/** Notes on the state of an item, like public or blocked. */
function Marks({ item }: { item: Item }) {
  const { is_public, processing_state, blocked } = item
  return (
    <>
      {is_public && <span className="mark">public</span>}
      {blocked && <span className="mark bad">blocked</span>}
      {processing_state !== null && processing_state !== 'ready' && (
        <span className={processing_state === 'failed' ? 'mark bad' : 'mark'}>
          {processing_state === 'pending' ? 'uploading' : processing_state}
        </span>
      )}
    </>
  )
}

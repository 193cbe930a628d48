import { createContext, useContext } from 'react'
import { Button as AriaButton, Checkbox, GridListItem } from 'react-aria-components'
import { formatBytes, formatTime } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { type Item, isFolder, kindOf } from './item.ts'
import { ItemMenu } from './item-menu.tsx'
import type { Opened } from './list-dialogs.tsx'
import { Rename } from './rename.tsx'
import { Thumbnail } from './thumbnail.tsx'
import { hasThumbnail } from './thumbnails.ts'

interface Props {
  item: Item
  isRenamed: boolean
  /** Sets the item that is being renamed; undefined: none. */
  onRename: (id: string | undefined) => void
  onOpened: (opened: Opened) => void
}

/** The id of the item whose details are shown. A context, because the list does not make its cached rows anew. */
export const CurrentItem = createContext<string | undefined>(undefined)

/** An item in a list. */
export function ItemRow(props: Props) {
  const { item, onRename, onOpened } = props
  return (
    <GridListItem id={item.id} value={item} className="file-row" textValue={item.name}>
      <Current id={item.id} />
      <Grip name={item.name} />
      <Choose />
      {hasThumbnail(item) ? <Thumbnail key={item.id} item={item} isSmall /> : <KindIcon item={item} />}
      <Name {...props} />
      <span className="quiet small file-size">{isFolder(item) ? '' : formatBytes(item.size_bytes)}</span>
      <span className="quiet small file-time">{formatTime(item.updated_at)}</span>
      <ItemMenu {...{ item, onRename, onOpened }} />
    </GridListItem>
  )
}

/** An item in a grid. */
export function ItemCard(props: Props) {
  const { item, onRename, onOpened } = props
  return (
    <GridListItem id={item.id} value={item} className="file-card" textValue={item.name}>
      <Current id={item.id} />
      <Thumbnail key={item.id} item={item} />
      <Choose />
      <Grip name={item.name} />
      <div className="row">
        <Name {...props} />
        <ItemMenu {...{ item, onRename, onOpened }} />
      </div>
    </GridListItem>
  )
}

/** The icon of an item that has no thumbnail. */
function KindIcon({ item }: Pick<Props, 'item'>) {
  const kind = kindOf(item)
  return (
    <span className={`row-icon kind-${kind}`}>
      <Icon name={kind} size={18} />
    </span>
  )
}

function Grip({ name }: { name: string }) {
  return (
    <AriaButton slot="drag" className="button quiet grip" aria-label={`Move ${name}`}>
      <Icon name="grip" />
    </AriaButton>
  )
}

function Choose() {
  return (
    <Checkbox slot="selection" className="checkbox">
      <span className="box" />
    </Checkbox>
  )
}

/** In the current item, a mark by which its row is drawn differently. */
function Current({ id }: { id: string }) {
  return useContext(CurrentItem) === id && <span className="current-item" />
}

function Name({ item, isRenamed, onRename }: Props) {
  if (isRenamed) return <Rename item={item} onDone={() => onRename(undefined)} />
  return (
    <span className="spread row file-title">
      <span className="cut" dir="auto">
        {item.name}
      </span>
      <Marks item={item} />
    </span>
  )
}

/** Says that every signed-in user can read an item or a folder. */
export function PublicMark() {
  return (
    <span className="mark public" title="Every signed-in user can read it">
      <Icon name="globe" size={13} />
      public
    </span>
  )
}

/** Says that other users have shares of a file. The tooltip is the browser's, because a mark takes no focus. */
function SharedMark() {
  return (
    <span className="mark shared-mark" title="You have shared it with other users: its details say with whom">
      <Icon name="share" size={13} />
      shared
    </span>
  )
}

/** Notes on the state of an item, like public or blocked. */
export function Marks({ item }: { item: Item }) {
  const { is_public, shared, processing_state, blocked } = item
  return (
    <>
      {is_public && <PublicMark />}
      {shared && <SharedMark />}
      {blocked && <span className="mark bad">blocked</span>}
      {processing_state !== null && processing_state !== 'ready' && (
        <span className={processing_state === 'failed' ? 'mark bad' : 'mark'}>
          {processing_state === 'pending' ? 'uploading' : processing_state}
        </span>
      )}
    </>
  )
}

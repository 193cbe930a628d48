import type { ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { copyText } from '../controls/copy.ts'
import { formatBytes, formatCount, formatTime } from '../controls/format.ts'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { isRefusal } from '../session/session.tsx'
import { Shares } from '../shares/shares-dialog.tsx'
import { addressOf } from '../shell/address.ts'
import { usePlace } from '../shell/place.tsx'
import { chooseFile } from '../uploads/choose.ts'
import type { Crumb } from './folder.ts'
import { type FolderId, hasPreview, type Item, isFolder, isReady, kindOf, kinds } from './item.ts'
import { Marks } from './item-row.tsx'
import type { Opened } from './list-dialogs.tsx'
import { Thumbnail } from './thumbnail.tsx'
import { usePublicFolder } from './use-public-folder.ts'

const types: Partial<Record<Item['asset_type'], string>> = {
  profile_pic: 'profile picture',
  emote: 'emote',
  chat_attachment: 'chat attachment',
}

interface Props {
  item: Item
  /** The folder that is listed, and those above it. */
  path: readonly Crumb[]
  onOpened: (opened: Opened) => void
}

/** What an item is, who has access to it, and where it is public. */
export function Details({ item, path, onOpened }: Props) {
  const { id, name, parent_id, size_bytes, mime_type, asset_type, created_at, updated_at } = item
  const hasContent = !isFolder(item) && isReady(item)
  const kind = [kinds[kindOf(item)], types[asset_type]].filter(Boolean).join(', ')
  return (
    <div className="details">
      <Thumbnail key={id} item={item} />
      <div className="row details-marks">
        <Marks item={item} />
      </div>
      {hasContent && (
        <div className="row details-actions">
          {hasPreview(item) && (
            <Button icon="search" onPress={() => onOpened({ what: 'preview', item })}>
              Preview
            </Button>
          )}
          <Button icon="share" onPress={() => onOpened({ what: 'shares', item })}>
            Share
          </Button>
          <Button
            icon="up"
            onPress={() => chooseFile((content) => onOpened({ what: 'replace', item, content }))}
          >
            Upload new content
          </Button>
        </div>
      )}
      <dl className="properties">
        <Property name="Kind">{kind}</Property>
        {mime_type !== null && <Property name="Media type">{mime_type}</Property>}
        {!isFolder(item) && (
          <Property name="Size">
            {formatBytes(size_bytes)}
            {size_bytes >= 1_024 && <span className="quiet small"> {formatCount(size_bytes, 'byte')}</span>}
          </Property>
        )}
        <Property name="Created">{formatTime(created_at)}</Property>
        {updated_at !== created_at && <Property name="Modified">{formatTime(updated_at)}</Property>}
        {path.at(-1)?.id !== parent_id && (
          <Property name="Folder">
            <FolderOf item={item} />
          </Property>
        )}
        <Property name="Id">
          <code className="cut">{id}</code>
          <IconButton
            icon="copy"
            label="Copy the id"
            onPress={() => void copyText(id, `Copied the id of ${name}.`)}
          />
        </Property>
      </dl>
      <Button icon="copy" onPress={() => void copyText(linkTo(item), `Copied the link to ${name}.`)}>
        Copy the link
      </Button>
      <PublicState item={item} path={path} />
      {hasContent && <Shares item={item} />}
    </div>
  )
}

function Property({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A link to the folder of an item that is not in the listed one. */
function FolderOf({ item: { id, parent_id } }: { item: Item }) {
  const { hrefOf } = usePlace()
  return <Link href={hrefOf(placeOf(parent_id), { selected: id })}>Show it in its folder</Link>
}

const placeOf = (folder: FolderId) => (folder === null ? [] : [folder])

/** The address that opens the details of an item, for the user whose item it is. */
function linkTo({ id, parent_id }: Item): string {
  const place = { screen: 'files', path: placeOf(parent_id), query: { selected: id } }
  return new URL(addressOf([place]), location.origin).href
}

/** Whether others can read an item, and why. */
function PublicState({ item, path }: Pick<Props, 'item' | 'path'>) {
  const folder = usePublicFolder(item.parent_id, path)
  const what = isFolder(item) ? 'this folder and all that is in it' : 'it'
  return (
    <section className="stack" aria-label="Who can read it">
      <h3>{item.is_public ? 'Public' : folder ? `Public, as in ${folder.name}` : 'Private'}</h3>
      <p className="quiet small">
        {item.is_public
          ? `Every signed-in user who has the id can read ${what}.`
          : folder
            ? `The folder ${folder.name} is public, so every signed-in user who has the id can read ${what}.`
            : isFolder(item)
              ? 'Only you, and what is shared in it with others.'
              : 'Only you, and those who are listed below.'}{' '}
        <a href="/guides/files#make-public" target="_blank" rel="noreferrer">
          What is public
        </a>
      </p>
    </section>
  )
}

/** Shown while an item is read, or instead of one that is not there. */
export function NoDetails({ error }: { error: unknown }) {
  if (!error) return <Waiting rows={4} />
  if (isRefusal(error, 'FILE_NOT_FOUND'))
    return <p className="quiet">It is no longer there: it was deleted, or is another user’s.</p>
  return <ErrorNote error={error} />
}

/** What several items are together. */
export function DetailsOfMany({ items }: { items: readonly Item[] }) {
  const folders = items.filter(isFolder).length
  const bytes = items.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  return (
    <dl className="properties">
      {folders > 0 && <Property name="Folders">{folders.toLocaleString('en')}</Property>}
      {folders < items.length && (
        <Property name="Files">
          {(items.length - folders).toLocaleString('en')} with {formatBytes(bytes)} together
        </Property>
      )}
    </dl>
  )
}

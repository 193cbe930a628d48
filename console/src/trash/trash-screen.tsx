import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { formatBytes, formatDay } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { showError, showNotice } from '../controls/notice.tsx'
import { PageTitle } from '../controls/page-title.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty } from '../controls/status.tsx'
import { type Item, isFolder, kindOf } from '../files/item.ts'
import { putItem } from '../files/list-cache.ts'
import { QuotaBar } from '../quota/quota-bar.tsx'
import { useSession } from '../session/session.tsx'
import '../files/files.css'

/** The object of a permanent deletion that waits for confirmation: an item, or the whole trash. */
type Asked = Item | 'all' | undefined

/** The user's trash: items can be restored, or deleted permanently. */
export function TrashScreen() {
  const { client } = useSession()
  const cache = useQueryClient()
  const [asked, setAsked] = useState<Asked>()
  const list = usePages({
    queryKey: ['trash'],
    read: (cursor, signal) => client.trash.list(cursor, { signal }).page(),
    itemsOf: (page) => page.files,
  })
  const changed = () =>
    Promise.all(['trash', 'quota'].map((name) => cache.invalidateQueries({ queryKey: [name] })))
  const restore = async (item: Item) => {
    try {
      const { etag: _, ...restored } = await client.trash.restore({ id: item.id })
      putItem(cache, { ...item, ...restored })
      showNotice(
        `Restored ${restored.name}${restored.parent_id === null ? ' to the root' : ' to its folder'}.`,
      )
      await changed()
    } catch (error) {
      showError(error)
    }
  }
  return (
    <div className="file-screen">
      <div className="stack">
        <PageTitle
          actions={
            <>
              <QuotaBar />
              <Button
                look="danger"
                icon="trash"
                isDisabled={list.items.length === 0}
                onPress={() => setAsked('all')}
              >
                Empty the trash
              </Button>
            </>
          }
        >
          Trash
        </PageTitle>
        <Pages
          list={list}
          empty={
            <Empty icon="trash" title="The trash is empty">
              What you delete in Files waits here until you restore it, or the service deletes it after its
              time.
            </Empty>
          }
        >
          {(items) => (
            <ul className="plain-list boxed" aria-label="Deleted items">
              {items.map((item) => (
                <Row key={item.id} item={item} onRestore={restore} onPurge={setAsked} />
              ))}
            </ul>
          )}
        </Pages>
        {asked !== undefined && (
          <Confirm
            title={asked === 'all' ? 'Empty the trash?' : `Delete ${asked.name} permanently?`}
            action={asked === 'all' ? 'Empty the trash' : 'Delete permanently'}
            onConfirm={async () => {
              await (asked === 'all' ? client.trash.empty() : client.trash.delete({ id: asked.id }))
              showNotice(asked === 'all' ? 'The trash is empty.' : `${asked.name} is deleted.`)
              await changed()
            }}
            onClose={() => setAsked(undefined)}
          >
            {asked === 'all'
              ? 'Everything in the trash'
              : isFolder(asked)
                ? 'The folder and all in it'
                : 'The file'}{' '}
            can’t be restored afterwards. The storage is free then, of much content after a few minutes.
          </Confirm>
        )}
      </div>
    </div>
  )
}

interface RowProps {
  item: Item
  onRestore: (item: Item) => Promise<void>
  onPurge: (item: Item) => void
}

function Row({ item, onRestore, onPurge }: RowProps) {
  const [isPending, setPending] = useState(false)
  return (
    <li className="row trashed">
      <span className={`row-icon kind-${kindOf(item)}`}>
        <Icon name={kindOf(item)} size={18} />
      </span>
      <span className="spread">
        <span className="cut trashed-name" dir="auto">
          {item.name}
        </span>
        <span className="quiet small">
          {isFolder(item) ? 'Folder' : formatBytes(item.size_bytes)} · modified {formatDay(item.updated_at)}
        </span>
      </span>
      <Button
        icon="restore"
        aria-label={`Restore ${item.name}`}
        isPending={isPending}
        onPress={async () => {
          setPending(true)
          await onRestore(item)
          setPending(false)
        }}
      >
        Restore
      </Button>
      <IconButton icon="trash" label={`Delete ${item.name} permanently`} onPress={() => onPurge(item)} />
    </li>
  )
}

import { useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { formatCount } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { useActions } from './actions.ts'
import { type Crumb, ROOT } from './folder.ts'
import type { Item } from './item.ts'
import { useListing, type View } from './listing.ts'

const folders: View = { sort: 'name', order: 'asc', asset_type: 'folder', areFoldersFirst: false }

/** Chooses the folder that items move to, a level at a time. */
export function MoveDialog({ items, onClose }: { items: readonly Item[]; onClose: () => void }) {
  const { move } = useActions()
  const [path, setPath] = useState<readonly Crumb[]>([ROOT])
  const [isPending, setPending] = useState(false)
  const here = path.at(-1) ?? ROOT
  const list = useListing(here.id, folders)
  const moved = new Set(items.map(({ id }) => id))
  const choices = list.items.filter(({ id }) => !moved.has(id))
  const isEmpty = list.isSuccess && choices.length === 0
  const isThere = items.every(({ parent_id }) => parent_id === here.id)
  const submit = async () => {
    setPending(true)
    const isDone = await move(items, here.id, here.name)
    setPending(false)
    if (isDone) onClose()
  }
  const what = items.length === 1 ? items[0]?.name : formatCount(items.length, 'item')
  return (
    <Dialog title={`Move ${what}`} isOpen onClose={onClose}>
      <div className="row">
        {path.length > 1 && <Button onPress={() => setPath(path.slice(0, -1))}>Back</Button>}
        <span className="spread cut">To {path.map(({ name }) => name).join(' / ')}</span>
      </div>
      <div className="folder-choices">
        {list.isPending ? (
          <Waiting rows={4} />
        ) : list.isError ? (
          <ErrorNote error={list.error} onRetry={() => void list.refetch()} />
        ) : isEmpty ? (
          <p className="quiet">No other folder in here.</p>
        ) : (
          // Another folder is another list, which takes the focus.
          <ListBox
            key={here.id}
            autoFocus="first"
            className="menu"
            aria-label={`Folders in ${here.name}`}
            items={choices}
            onAction={(key) => {
              const folder = choices.find(({ id }) => id === key)
              if (folder) setPath([...path, folder])
            }}
          >
            {({ name }) => (
              <ListBoxItem className="menu-item" textValue={name}>
                <Icon name="folder" />
                <span className="spread cut">{name}</span>
                <Icon name="chevron" size={14} />
              </ListBoxItem>
            )}
          </ListBox>
        )}
      </div>
      {list.hasNextPage && <Button onPress={() => void list.fetchNextPage()}>Show more folders</Button>}
      <Button
        key={isEmpty ? here.id : ''}
        autoFocus={isEmpty}
        look="primary"
        isPending={isPending}
        isDisabled={isThere}
        onPress={() => void submit()}
      >
        {isThere ? `${items.length === 1 ? 'It is' : 'They are'} here already` : `Move to ${here.name}`}
      </Button>
    </Dialog>
  )
}

import { type ReactNode, useMemo, useState } from 'react'
import {
  Collection,
  GridList,
  GridListLoadMoreItem,
  type Key,
  ListLayout,
  Virtualizer,
} from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { isRefusal } from '../session/session.tsx'
import type { Crumb } from './folder.ts'
import { type FolderId, type Item, isFolder } from './item.ts'
import { ItemRow } from './item-row.tsx'
import { ListDialogs, type Opened } from './list-dialogs.tsx'
import { useListing, type View } from './listing.ts'
import { SelectionBar } from './selection-bar.tsx'
import { useItemDrag } from './use-item-drag.ts'

interface Props {
  folder: FolderId
  view: View
  path: readonly Crumb[]
  onOpen: (folder: FolderId) => void
}

const ROW = 40

/** The items of a folder. Renders only the visible rows, so that thousands scroll smoothly. */
export function FileList({ folder, view, path, onOpen }: Props) {
  const list = useListing(folder, view)
  const { items } = list
  const [selected, setSelected] = useState<ReadonlySet<Key>>(new Set())
  const [renamed, setRenamed] = useState<string>()
  const [opened, setOpened] = useState<Opened>()
  const drag = useItemDrag(folder, items)
  const chosen = useMemo(() => items.filter(({ id }) => selected.has(id)), [items, selected])

  const act = (item: Item) => {
    if (isFolder(item)) onOpen(item.id)
    else setOpened({ what: 'preview', item })
  }
  if (list.isError && items.length === 0) return <Failed {...{ list, onOpen }} />
  return (
    <>
      <SelectionBar
        items={chosen}
        onRename={setRenamed}
        onMove={() => setOpened({ what: 'move', items: chosen })}
        onShare={(item) => setOpened({ what: 'shares', item })}
        onCleared={() => setSelected(new Set())}
      />
      <div className="file-list-box">
        <Virtualizer layout={ListLayout} layoutOptions={{ rowSize: ROW, loaderSize: ROW }}>
          <GridList
            className="file-list"
            aria-label={`Items in ${path.at(-1)?.name}`}
            keyboardNavigationBehavior="tab"
            selectionMode="multiple"
            selectionBehavior="toggle"
            selectedKeys={selected}
            onSelectionChange={(keys) =>
              setSelected(keys === 'all' ? new Set(items.map(({ id }) => id)) : keys)
            }
            onAction={(key) => {
              const item = items.find(({ id }) => id === key)
              if (item) act(item)
            }}
            dragAndDropHooks={drag}
            renderEmptyState={() => (list.isPending ? <Waiting rows={8} /> : <Nothing view={view} />)}
            dependencies={[renamed]}
          >
            <Collection items={items} dependencies={[renamed]}>
              {(item) => (
                <ItemRow
                  item={item}
                  isRenamed={renamed === item.id}
                  onRename={setRenamed}
                  onOpened={setOpened}
                />
              )}
            </Collection>
            <GridListLoadMoreItem
              className="quiet small list-more"
              // Without a next page, the call would only cancel a read under way.
              onLoadMore={() => void (list.hasNextPage && list.fetchNextPage())}
              isLoading={list.isFetchingNextPage}
            >
              Loading more …
            </GridListLoadMoreItem>
          </GridList>
        </Virtualizer>
      </div>
      {list.isError && <ErrorNote error={list.error} onRetry={() => void list.fetchNextPage()} />}
      <ListDialogs opened={opened} onClose={() => setOpened(undefined)} />
    </>
  )
}

function Failed({
  list,
  onOpen,
}: { list: ReturnType<typeof useListing> } & Pick<Props, 'onOpen'>): ReactNode {
  const { error } = list
  if (!isRefusal(error, 'FILE_PARENT_NOT_FOUND') && !isRefusal(error, 'FILE_NOT_FOUND'))
    return <ErrorNote error={error} onRetry={() => void list.refetch()} />
  return (
    <Empty icon="folder" title="This folder is no longer there">
      <p>It was deleted, or is another user’s.</p>
      <Button onPress={() => onOpen(null)}>Go to the root</Button>
    </Empty>
  )
}

function Nothing({ view }: { view: View }) {
  if (view.asset_type !== undefined)
    return (
      <Empty icon="search" title="Nothing of this type here">
        Choose another type above to see what else the folder has.
      </Empty>
    )
  return (
    <Empty icon="folder" title="Nothing here yet">
      Drop files or folders here, or press Upload.
    </Empty>
  )
}

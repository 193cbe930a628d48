import { type ReactNode, useMemo, useRef, useState } from 'react'
import { searchName } from '../../../src/platform/lib/text.ts'
import { Button } from '../controls/button.tsx'
import { useKept } from '../controls/kept.ts'
import { Empty, ErrorNote } from '../controls/status.tsx'
import { isRefusal } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { useItemContextMenu } from './context-menu.tsx'
import { DetailsPanel } from './details-panel.tsx'
import type { Crumb } from './folder.ts'
import { type FolderId, type Item, isFolder } from './item.ts'
import { ItemGrid } from './item-grid.tsx'
import { ListDialogs, type Opened } from './list-dialogs.tsx'
import { useListing, type View } from './listing.ts'
import { LoadedNote } from './loaded-note.tsx'
import { PreviewOf } from './preview.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { useIsWide } from './use-is-wide.ts'
import { useItem } from './use-item.ts'
import { useItemKeys } from './use-item-keys.ts'
import { useLatest } from './use-latest.ts'
import { useSelection } from './use-selection.ts'
import type { Layout } from './view-options.tsx'

interface Props {
  folder: FolderId
  view: View
  onView: (view: View) => void
  layout: Layout
  /** What the names of the shown items have in them. */
  search: string
  path: readonly Crumb[]
  onOpen: (folder: FolderId) => void
}

/** How wide the pane has to be for details beside the list. */
const WIDE = 760

/** The items of a folder, with the details of those that are selected. */
export function FileList({ folder, view, onView, layout, search, path, onOpen }: Props) {
  const list = useListing(folder, view)
  const shown = useMemo(() => found(list.items, search), [list.items, search])
  const { query, change } = usePlace()
  const [renamed, setRenamed] = useState<string>()
  const [opened, setOpened] = useState<Opened>()
  const box = useRef<HTMLDivElement>(null)
  const isWide = useIsWide(box, WIDE)
  const [beside, setBeside] = useKept('console details', ['shown', 'hidden'])
  const areBeside = isWide && beside === 'shown'
  const { chosen, selected, select, current, show } = useSelection(shown, list.isPending, areBeside)
  // A link shows the details. Selecting an item shows them only where they leave room for the list.
  const [isAsked, setAsked] = useState(current !== undefined)
  const { item, error } = useItem(current, list)

  const open = useLatest((next: Opened) => {
    if (next.what === 'preview') change({ preview: next.item.id })
    else if (next.what === 'details') {
      show(next.item.id)
      showDetails()
    } else setOpened(next)
  })
  const showDetails = () => {
    if (isWide) setBeside('shown')
    setAsked(true)
  }
  const hideDetails = () => {
    if (isWide) setBeside('hidden')
    else if (current !== undefined) focusLater(current)
    setAsked(false)
    show('')
  }
  /** Leads the focus back to the row of an item, once the list is shown again. */
  const focusLater = (id: string) =>
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(id)}"]`)?.focus(),
    )
  const detailsOfChosen = () => {
    const [only] = chosen
    if (only && chosen.length === 1) show(only.id)
    showDetails()
  }
  const several = current === undefined ? chosen : []
  const areDetails = (current !== undefined || several.length > 0) && (isAsked || areBeside)
  const act = (acted: Item) => (isFolder(acted) ? onOpen(acted.id) : open({ what: 'preview', item: acted }))
  const { boxProps, menu } = useItemContextMenu({ items: shown, onRename: setRenamed, onOpened: open })
  const pressed = useItemKeys({ items: shown, chosen, onRename: setRenamed })
  if (list.isError && list.items.length === 0) return <Failed {...{ list, onOpen }} />
  return (
    <>
      <SelectionBar
        items={chosen}
        onRename={setRenamed}
        onMove={() => setOpened({ what: 'move', items: chosen })}
        onShare={(shared) => setOpened({ what: 'shares', item: shared })}
        onDetails={areDetails ? undefined : detailsOfChosen}
        onCleared={() => select(new Set())}
      />
      {(search !== '' || list.isPartlySorted) && (
        <LoadedNote list={list} found={search === '' ? undefined : shown.length} />
      )}
      <div className="file-columns" ref={box} onKeyDownCapture={pressed}>
        <div className="file-list-box" hidden={areDetails && !isWide} {...boxProps}>
          <ItemGrid
            key={layout}
            {...{ folder, view, onView, list, layout, renamed, selected, select, current }}
            items={shown}
            isSearch={search !== ''}
            label={`Items in ${path.at(-1)?.name}`}
            onAction={act}
            onRename={setRenamed}
            onOpened={open}
          />
          {menu}
        </div>
        {areDetails && (
          <DetailsPanel
            {...{ item, error, path, isWide }}
            several={several}
            onOpened={open}
            onClose={hideDetails}
          />
        )}
      </div>
      {list.isError && <ErrorNote error={list.error} onRetry={() => void list.fetchNextPage()} />}
      {query.preview && (
        <PreviewOf
          id={query.preview}
          list={{ items: shown, isPending: list.isPending }}
          onShow={(id) => change({ preview: id })}
          onClose={() => change({ preview: '' })}
        />
      )}
      <ListDialogs opened={opened} onClose={() => setOpened(undefined)} />
    </>
  )
}

/** The items with a text in their names, as the service compares names of assets. */
function found(items: readonly Item[], search: string): readonly Item[] {
  const text = searchName(search.trim())
  return text === '' ? items : items.filter(({ name }) => searchName(name).includes(text))
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

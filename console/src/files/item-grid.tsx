import { useEffect, useRef, useState } from 'react'
import {
  Collection,
  GridLayout,
  GridListLoadMoreItem,
  ListLayout,
  type Selection,
  Size,
  Virtualizer,
} from 'react-aria-components'
import { RowList } from '../controls/row-list.tsx'
import { Empty, Waiting } from '../controls/status.tsx'
import type { FolderId, Item } from './item.ts'
import { CurrentItem, ItemCard, ItemRow } from './item-row.tsx'
import type { Opened } from './list-dialogs.tsx'
import { ListHead } from './list-head.tsx'
import type { useListing, View } from './listing.ts'
import { useItemDrag } from './use-item-drag.ts'
import type { Layout } from './view-options.tsx'

const ROW = 44
const CARD = new Size(148, 172)
const listOptions = { rowSize: ROW, loaderSize: ROW }
const gridOptions = {
  minItemSize: CARD,
  maxItemSize: new Size(Number.POSITIVE_INFINITY, CARD.height),
  minSpace: new Size(12, 12),
  preserveAspectRatio: true,
  loaderHeight: ROW,
}

interface Props {
  label: string
  folder: FolderId
  view: View
  layout: Layout
  list: ReturnType<typeof useListing>
  /** The items of the list that are shown. */
  items: readonly Item[]
  /** Whether others of the list's items are not shown. */
  isSearch: boolean
  onView: (view: View) => void
  selected: ReadonlySet<string>
  select: (ids: ReadonlySet<string>) => void
  /** The id of the item whose details are shown. */
  current: string | undefined
  /** The id of the item that is being renamed. */
  renamed: string | undefined
  onRename: (id: string | undefined) => void
  onAction: (item: Item) => void
  onOpened: (opened: Opened) => void
}

/** The items of a folder, in a list or a grid. Renders only the visible ones, so that thousands scroll smoothly. */
export function ItemGrid(props: Props) {
  const { label, folder, view, list, items, isSearch, selected, select, current, renamed } = props
  const { onRename, onOpened } = props
  const isGrid = props.layout === 'grid'
  const [[gridLayout, listLayout]] = useState(() => [new GridLayout<Item>(), new ListLayout<Item>()] as const)
  const layout = isGrid ? gridLayout : listLayout
  const drag = useItemDrag(folder, items)
  const grid = useRef<HTMLDivElement>(null)
  const isThere = items.some(({ id }) => id === current)
  useEffect(() => {
    if (current === undefined || !isThere) return
    // The layout is made anew after this rendering.
    const frame = requestAnimationFrame(() => {
      const place = layout.getLayoutInfo(current)?.rect
      if (place && grid.current) scrollTo(grid.current, place)
    })
    return () => cancelAnimationFrame(frame)
  }, [current, isThere, layout])
  const isFilled = items.length > 0
  useEffect(() => {
    if (!isFilled) return
    // The focus of a folder that was opened by key, before its items were there. Arrow keys lead nowhere from the empty list.
    const frame = requestAnimationFrame(() => {
      const { current: list } = grid
      if (document.activeElement === list) list?.querySelector<HTMLElement>('[role="row"]')?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [isFilled])
  /** The item whose selection was changed last, and whether a press with Shift goes on from it. */
  const range = useRef({ from: '', isWanted: false })
  const changeSelection = (keys: Selection) => {
    const next = new Set(keys === 'all' ? items.map(({ id }) => id) : [...keys].map(String))
    const [changed, ...others] = items.filter(({ id }) => selected.has(id) !== next.has(id))
    const { from, isWanted } = range.current
    const isOne = changed !== undefined && others.length === 0
    range.current = { from: isOne ? changed.id : from, isWanted: false }
    select(isOne && isWanted ? extended(items, next, from, changed.id) : next)
  }
  const Shown = isGrid ? ItemCard : ItemRow
  const shown = (
    <RowList
      ref={grid}
      className={isGrid ? 'file-list file-grid' : 'file-list'}
      aria-label={label}
      layout={isGrid ? 'grid' : 'stack'}
      selectionMode="multiple"
      selectionBehavior="toggle"
      selectedKeys={selected}
      onSelectionChange={changeSelection}
      onPointerDownCapture={({ shiftKey }) => {
        range.current.isWanted = shiftKey
      }}
      onAction={(key) => {
        const item = items.find(({ id }) => id === key)
        if (item) props.onAction(item)
      }}
      dragAndDropHooks={drag}
      renderEmptyState={() =>
        list.isPending ? <Waiting rows={8} /> : <Nothing view={view} isSearch={isSearch} />
      }
      dependencies={[renamed]}
    >
      <Collection items={items} dependencies={[renamed]}>
        {(item) => (
          <Shown item={item} isRenamed={renamed === item.id} onRename={onRename} onOpened={onOpened} />
        )}
      </Collection>
      <GridListLoadMoreItem
        className="quiet small list-more"
        // Without a next page, the call would only cancel a read under way. LoadedNote offers a button for the rest.
        onLoadMore={() =>
          void (list.hasNextPage && !isSearch && !list.isPartlySorted && list.fetchNextPage())
        }
        isLoading={list.isFetchingNextPage}
      >
        Loading more …
      </GridListLoadMoreItem>
    </RowList>
  )
  return (
    <CurrentItem value={current}>
      {isGrid ? (
        <Virtualizer layout={gridLayout} layoutOptions={gridOptions}>
          {shown}
        </Virtualizer>
      ) : (
        <>
          {(isFilled || list.isPending) && <ListHead list={grid} view={view} onView={props.onView} />}
          <Virtualizer layout={listLayout} layoutOptions={listOptions}>
            {shown}
          </Virtualizer>
        </>
      )}
    </CurrentItem>
  )
}

/** A selection in which all items from one to another are selected as the other is. */
function extended(items: readonly Item[], ids: ReadonlySet<string>, from: string, to: string) {
  const ends = [from, to].map((id) => items.findIndex((item) => item.id === id)).sort((a, b) => a - b)
  const [first = -1, last = -1] = ends
  if (first === -1) return ids
  const between = new Set(items.slice(first, last + 1).map(({ id }) => id))
  return new Set(items.map(({ id }) => id).filter((id) => ids.has(between.has(id) ? to : id)))
}

/** Scrolls to a place of the list, if it is out of sight. */
function scrollTo(grid: HTMLElement, { y, maxY, height }: { y: number; maxY: number; height: number }): void {
  const { scrollTop, clientHeight } = grid
  if (y < scrollTop || maxY > scrollTop + clientHeight) grid.scrollTop = y - (clientHeight - height) / 2
}

function Nothing({ view, isSearch }: { view: View; isSearch: boolean }) {
  if (isSearch)
    return (
      <Empty icon="search" title="No name has this in it">
        The search is among the items that are loaded.
      </Empty>
    )
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

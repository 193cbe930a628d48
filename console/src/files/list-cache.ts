import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { Item } from './item.ts'
import type { ListedPages, View } from './listing.ts'
import { compare } from './order.ts'
import type { ListedPage } from './read-page.ts'

/** Inserts or updates an item in the shown lists, at its sorted position, so that no list is read again. */
export function putItem(cache: QueryClient, item: Item): void {
  for (const [key, data] of cache.getQueriesData<ListedPages>({ queryKey: ['files'] })) {
    const [, folder, view] = key
    if (!isView(view)) continue
    const belongs = folder === item.parent_id && [undefined, item.asset_type].includes(view.asset_type)
    if (!data) {
      if (belongs) readAfterwards(cache, key)
      continue
    }
    const pages = data.pages.map((page) => without(page, new Set([item.id])))
    cache.setQueryData<ListedPages>(key, { ...data, pages: belongs ? withItem(pages, item, view) : pages })
  }
}

/** Reads a list again after its first read, which may have begun before a change. */
function readAfterwards(cache: QueryClient, queryKey: QueryKey): void {
  const reading = cache.getQueryCache().find({ queryKey })?.promise ?? Promise.resolve()
  void reading.catch(() => {}).then(() => cache.invalidateQueries({ queryKey, exact: true }))
}

/** The items with these ids that are in some list. */
export function listedItems(cache: QueryClient, ids: ReadonlySet<string>): readonly Item[] {
  const lists = cache.getQueriesData<ListedPages>({ queryKey: ['files'] })
  const items = lists.flatMap(([, data]) => data?.pages.flatMap(({ files }) => files) ?? [])
  return [...new Map(items.filter(({ id }) => ids.has(id)).map((item) => [item.id, item])).values()]
}

/** Removes items from the shown lists, and drops the cached lists of folders among them. */
export function removeItems(cache: QueryClient, removed: readonly string[]): void {
  const ids = new Set(removed)
  cache.setQueriesData<ListedPages>(
    { queryKey: ['files'] },
    (data) => data && { ...data, pages: data.pages.map((page) => without(page, ids)) },
  )
  for (const id of ids) cache.removeQueries({ queryKey: ['files', id] })
}

function without(page: ListedPage, ids: ReadonlySet<string>): ListedPage {
  if (!page.files.some(({ id }) => ids.has(id))) return page
  return { ...page, files: page.files.filter(({ id }) => !ids.has(id)) }
}

/** Inserts an item into pages at its sorted position, unless that is on a page that has not been read. */
function withItem(pages: ListedPage[], item: Item, view: View): ListedPage[] {
  // Pages in another order, which are sorted when they are shown.
  if (view.sort === 'updated_at')
    return pages.map((page, at) => (at === 0 ? { ...page, files: [item, ...page.files] } : page))
  const isAfter = (other: Item) => compare(other, item, view) > 0
  const found = pages.findIndex(({ files }) => files.some(isAfter))
  const at = found === -1 && pages.at(-1)?.next === null ? pages.length - 1 : found
  return pages.map((page, index) => {
    if (index !== at) return page
    const place = page.files.findIndex(isAfter)
    const files =
      place === -1 ? [...page.files, item] : [...page.files.slice(0, place), item, ...page.files.slice(place)]
    return { ...page, files }
  })
}

function isView(value: unknown): value is View {
  return typeof value === 'object' && value !== null && 'sort' in value
}

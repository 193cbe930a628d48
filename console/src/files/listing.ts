import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { Client } from 'edge-game-storage-client'
import { useEffect, useMemo } from 'react'
import { useSession } from '../session/session.tsx'
import type { FolderId, Item } from './item.ts'
import { compare, type Order } from './order.ts'
import { type ListedPage, type PageStart, readPage } from './read-page.ts'

type Query = NonNullable<Parameters<Client['files']['list']>[0]>

/** The order and filter of a folder's list. */
export interface View extends Order {
  /** Undefined: all types. */
  asset_type: Query['asset_type']
}

export type ListedPages = InfiniteData<ListedPage, PageStart | undefined>

const keyOf = (folder: FolderId, view: View) => ['files', folder, view] as const

const PAGE_SIZE = 500

/** The items of a folder, page by page. */
export function useListing(folder: FolderId, view: View) {
  const { client } = useSession()
  const cache = useQueryClient()
  const key = keyOf(folder, view)
  const { sort, order, areFoldersFirst } = view
  // What was created last is near what was modified last.
  const listed = sort === 'updated_at' ? 'created_at' : sort
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }): Promise<ListedPage> => {
      const read = (asset_type: View['asset_type'], cursor: string | undefined) => {
        const place = { ...(folder !== null && { parent_id: folder }), ...(asset_type && { asset_type }) }
        const after = cursor === undefined ? {} : { cursor }
        return client.files
          .list({ ...place, ...after, sort: listed, order, limit: PAGE_SIZE }, { signal })
          .page()
      }
      // Of one type, nothing has to be before the rest.
      return readPage(read, view.asset_type, areFoldersFirst && view.asset_type === undefined, pageParam)
    },
    initialPageParam: undefined as PageStart | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  })
  // Reopening a folder shows its cached first page at once, and reads only that page again.
  const hash = JSON.stringify(key)
  useEffect(() => {
    const left: unknown[] = JSON.parse(hash)
    return () => {
      cache.setQueriesData<ListedPages>({ queryKey: left }, (data) => data && firstPage(data))
    }
  }, [hash, cache])
  const items = useMemo(
    () => itemsOf(list.data?.pages, { sort, order, areFoldersFirst }),
    [list.data?.pages, sort, order, areFoldersFirst],
  )
  /** Whether the service has more items, among which the shown ones would be at other places. */
  const isPartlySorted = sort === 'updated_at' && list.hasNextPage
  return { ...list, items, isPartlySorted }
}

function itemsOf(pages: readonly ListedPage[] | undefined, order: Order): Item[] {
  const items = pages?.flatMap((page) => page.files) ?? []
  if (order.sort !== 'updated_at') return items
  // One that was put into a page of these may be in a later one, too.
  const distinct = new Map(items.map((item) => [item.id, item]))
  return [...distinct.values()].sort((one, other) => compare(one, other, order))
}

function firstPage({ pages, pageParams }: ListedPages): ListedPages {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) }
}

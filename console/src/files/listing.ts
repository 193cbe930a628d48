import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { operations } from 'edge-game-storage-client'
import { useEffect, useMemo } from 'react'
import { useSession } from '../session/session.tsx'
import type { FolderId, Item } from './item.ts'

type Query = NonNullable<operations['listFiles']['parameters']['query']>

/** The sort, order and filter of a folder's list. */
export interface View {
  sort: NonNullable<Query['sort']>
  order: NonNullable<Query['order']>
  /** Undefined: all types. */
  asset_type: Query['asset_type']
}

/** The service's default order for each sort. */
export const usualOrder = { name: 'asc', created_at: 'desc', size_bytes: 'desc' } as const

export interface ListedPage {
  files: Item[]
  next_cursor: string | null
}
export type ListedPages = InfiniteData<ListedPage, string | undefined>

const keyOf = (folder: FolderId, view: View) => ['files', folder, view] as const

const PAGE_SIZE = 500

/** The items of a folder, page by page. */
export function useListing(folder: FolderId, view: View) {
  const { client } = useSession()
  const cache = useQueryClient()
  const key = keyOf(folder, view)
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }): Promise<ListedPage> => {
      const { sort, order, asset_type } = view
      const place = { ...(folder !== null && { parent_id: folder }), ...(asset_type && { asset_type }) }
      const cursor = pageParam === undefined ? {} : { cursor: pageParam }
      return client.listFiles({ ...place, ...cursor, sort, order, limit: PAGE_SIZE }, { signal }).page()
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  // Reopening a folder shows its cached first page at once, and reads only that page again.
  const hash = JSON.stringify(key)
  useEffect(() => {
    const left: unknown[] = JSON.parse(hash)
    return () => {
      cache.setQueriesData<ListedPages>({ queryKey: left }, (data) => data && firstPage(data))
    }
  }, [hash, cache])
  const items = useMemo(() => list.data?.pages.flatMap((page) => page.files) ?? [], [list.data])
  return { ...list, items }
}

function firstPage({ pages, pageParams }: ListedPages): ListedPages {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) }
}

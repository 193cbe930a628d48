import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { Client } from 'edge-game-storage-client'
import { useEffect, useMemo } from 'react'
import { useSession } from '../session/session.tsx'
import type { FolderId } from './item.ts'
import { type ListedPage, type PageStart, readPage } from './read-page.ts'

type Query = NonNullable<Parameters<Client['files']['list']>[0]>

/** The sort, order and filter of a folder's list. */
export interface View {
  sort: NonNullable<Query['sort']>
  order: NonNullable<Query['order']>
  /** Undefined: all types. */
  asset_type: Query['asset_type']
  /** Whether folders are before everything else. */
  areFoldersFirst: boolean
}

/** The service's default order for each sort. */
export const usualOrder = { name: 'asc', created_at: 'desc', size_bytes: 'desc' } as const

export type ListedPages = InfiniteData<ListedPage, PageStart | undefined>

const keyOf = (folder: FolderId, view: View) => ['files', folder, view] as const

const PAGE_SIZE = 500

/** The items of a folder, page by page. */
export function useListing(folder: FolderId, view: View) {
  const { client } = useSession()
  const cache = useQueryClient()
  const key = keyOf(folder, view)
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }): Promise<ListedPage> => {
      const { sort, order, areFoldersFirst } = view
      const read = (asset_type: View['asset_type'], cursor: string | undefined) => {
        const place = { ...(folder !== null && { parent_id: folder }), ...(asset_type && { asset_type }) }
        const after = cursor === undefined ? {} : { cursor }
        return client.files.list({ ...place, ...after, sort, order, limit: PAGE_SIZE }, { signal }).page()
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
  const items = useMemo(() => list.data?.pages.flatMap((page) => page.files) ?? [], [list.data])
  return { ...list, items }
}

function firstPage({ pages, pageParams }: ListedPages): ListedPages {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) }
}

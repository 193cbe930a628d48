import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { ErrorNote, Waiting } from './status.tsx'

interface AnyPage {
  next_cursor: string | null
}

/** A list of the service, read page by page: `read` gets the cursor of the page, undefined for the first one. */
export function usePages<Page extends AnyPage, Item>(list: {
  queryKey: QueryKey
  read: (cursor: { cursor?: string }, signal: AbortSignal) => Promise<Page>
  itemsOf: (page: Page) => readonly Item[]
  /** After how many milliseconds it is read again, while it is shown; also when the tab is looked at again. Default: never. */
  refreshMs?: number
}) {
  const query = useInfiniteQuery({
    queryKey: list.queryKey,
    queryFn: ({ pageParam, signal }) =>
      list.read(pageParam === undefined ? {} : { cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: list.refreshMs ?? false,
    refetchOnWindowFocus: list.refreshMs !== undefined,
  })
  const items = query.data?.pages.flatMap((page) => list.itemsOf(page)) ?? []
  return { query, items }
}

interface Props<Item> {
  list: { query: ReturnType<typeof usePages<AnyPage, Item>>['query']; items: readonly Item[] }
  /** What is shown when there is nothing. */
  empty: ReactNode
  children: (items: readonly Item[]) => ReactNode
}

/** Shows a list as it is read: its waiting, its failure, that it is empty, its items, and a button for more of them. */
export function Pages<Item>({ list: { query, items }, empty, children }: Props<Item>) {
  if (query.isPending) return <Waiting />
  if (query.isError && items.length === 0)
    return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
  return (
    <>
      {items.length === 0 && !query.hasNextPage ? empty : children(items)}
      {query.isError && <ErrorNote error={query.error} onRetry={() => void query.fetchNextPage()} />}
      {query.hasNextPage && (
        <Button onPress={() => void query.fetchNextPage()} isPending={query.isFetchingNextPage}>
          {query.isFetchingNextPage ? 'Loading…' : 'Show more'}
        </Button>
      )}
    </>
  )
}

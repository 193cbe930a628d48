import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
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
  /** Reads the list again at this interval while it is shown, and when the user comes back to the tab. Default: never. */
  refreshMs?: number
  /** Whether another filter shows the list before until it is read, so that the focus stays in the list. */
  keepsPrevious?: boolean
}) {
  const query = useInfiniteQuery({
    queryKey: list.queryKey,
    queryFn: ({ pageParam, signal }) =>
      list.read(pageParam === undefined ? {} : { cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    ...(list.keepsPrevious && { placeholderData: keepPreviousData }),
    refetchInterval: list.refreshMs ?? false,
    refetchOnWindowFocus: list.refreshMs !== undefined,
  })
  const items = query.data?.pages.flatMap((page) => list.itemsOf(page)) ?? []
  return { query, items }
}

interface Props<Item> {
  list: { query: ReturnType<typeof usePages<AnyPage, Item>>['query']; items: readonly Item[] }
  /** Shown when the list is empty. */
  empty: ReactNode
  children: (items: readonly Item[]) => ReactNode
}

/** Shows a paged list in each of its states: loading, failed, empty, or its items with a button for more. */
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

import { useQueries } from '@tanstack/react-query'
import { useSession } from '../session/session.tsx'
import type { Crumb } from './folder.ts'
import type { Item } from './item.ts'

const STALE_MS = 60_000

/** The topmost public folder that an item lies in: all in it is public. Undefined: none, or the item is not in the listed folder. */
export function usePublicFolder({ parent_id }: Item, path: readonly Crumb[]): Crumb | undefined {
  const { client } = useSession()
  const folders = path.at(-1)?.id === parent_id ? path.flatMap(({ id }) => (id === null ? [] : [id])) : []
  const read = useQueries({
    queries: folders.map((id) => ({
      // Of the path, too: a folder that was opened is not read again.
      queryKey: ['item', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.files.get({ id }, { signal }),
      staleTime: STALE_MS,
    })),
  })
  return read.map(({ data }) => data?.file).find((folder) => folder?.is_public)
}

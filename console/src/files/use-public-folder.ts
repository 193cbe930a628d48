import { useQueries } from '@tanstack/react-query'
import { useSession } from '../session/session.tsx'
import type { Crumb } from './folder.ts'
import type { FolderId } from './item.ts'

const STALE_MS = 60_000

/** The topmost public folder that a folder is or lies in: all in it is public. Undefined: none, or the folder is not the listed one. */
export function usePublicFolder(parent_id: FolderId, path: readonly Crumb[]): Crumb | undefined {
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

import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.tsx'
import type { FolderId } from './item.ts'

export interface Crumb {
  id: FolderId
  name: string
}

export const ROOT: Crumb = { id: null, name: 'Files' }

/** The folders from the root to this one, inclusive. */
export function usePath(folder: FolderId): readonly Crumb[] {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['item', folder],
    queryFn: ({ signal }) => client.files.get({ id: folder ?? '' }, { signal }),
    enabled: folder !== null,
  })
  if (folder === null) return [ROOT]
  if (!data) return [ROOT, { id: folder, name: '…' }]
  return [ROOT, ...data.ancestors, data.file]
}

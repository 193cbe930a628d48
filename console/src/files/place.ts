import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../session/session.tsx'
import type { FolderId } from './item.ts'

/** The current folder of a user, stored for the tab: switching screens and reloading come back to it. */
export function usePlace(): [FolderId, (folder: FolderId) => void] {
  const { user_id } = useSession()
  const key = `console folder of ${user_id}`
  const [folder, setFolder] = useState<FolderId>(() => sessionStorage.getItem(key))
  const go = (next: FolderId) => {
    if (next === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, next)
    setFolder(next)
  }
  return [folder, go]
}

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
    queryFn: ({ signal }) => client.getFile({ id: folder ?? '' }, { signal }),
    enabled: folder !== null,
  })
  if (folder === null) return [ROOT]
  if (!data) return [ROOT, { id: folder, name: '…' }]
  return [ROOT, ...data.ancestors, data.file]
}

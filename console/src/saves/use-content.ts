import { useQuery } from '@tanstack/react-query'
import type { Save } from 'edge-game-storage-client'
import { useSession } from '../session/session.tsx'
import { type Content, contentOf } from './content.ts'

/** Reads the content of a revision, if one is given. */
export function useContent(save: Pick<Save, 'slot' | 'revision'> | undefined) {
  const { client } = useSession()
  return useQuery({
    queryKey: ['save content', save?.slot, save?.revision],
    queryFn: async ({ signal }): Promise<Content> => {
      const { slot = '', revision } = save ?? {}
      const { bytes, mime_type } = await client.saves.read({ slot, revision }, { signal })
      return contentOf(bytes, mime_type)
    },
    enabled: save !== undefined,
    // A revision never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

import { useQuery } from '@tanstack/react-query'
import type { Target } from 'edge-game-storage-client'
import { sentence } from '../controls/format.ts'
import { SAFETY } from '../reports/keys.ts'
import { nouns } from '../reports/words.ts'
import { useSession } from '../session/session.tsx'

/** What a thing of somebody else is called, of one that the user can't see: 'An asset'. A report has no name. */
export function useNameOf({ type, id }: Target): string {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: [SAFETY, 'name', type, id],
    queryFn: async ({ signal }) =>
      type === 'file'
        ? (await client.files.get({ id }, { signal })).file.name
        : (await client.assets.get({ id }, { signal })).name,
    enabled: type !== 'user',
    staleTime: Number.POSITIVE_INFINITY,
  })
  return type === 'user' ? id : (data ?? sentence(nouns[type]))
}

import { useQuery } from '@tanstack/react-query'
import type { Target } from 'edge-game-storage-client/studio'
import { ASSETS } from '../../assets/asset.ts'
import { useSession } from '../../session/session.tsx'

/** How long an asset is shown without being read again. */
const CACHED_MS = 60_000

/** The asset that a case is about, as players see it. It keeps what was read when a decision hides it. */
export function useAssetOf({ type, id }: Target) {
  const { client } = useSession()
  return useQuery({
    queryKey: [ASSETS, 'one', id, undefined],
    queryFn: ({ signal }) => client.assets.get({ id }, { signal }),
    enabled: type === 'asset',
    staleTime: CACHED_MS,
  })
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Client } from 'edge-game-storage-client'
import { ASSETS, type Asset } from '../assets/asset.ts'
import { showError } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'

/** The user's favorites, and the counts that the user has changed. */
interface Favorites {
  ids: ReadonlySet<string>
  /** The count to show while the service still answers `read`: it counts within a minute. */
  counts: ReadonlyMap<string, { read: number; shown: number }>
}

const KEY = ['favorites']

/** The query that reads which assets are the user's favorites: records do not say it. */
export function useFavorites() {
  const { client } = useSession()
  return useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => readFavorites(client, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Whether an asset is among the user's favorites, and of how many users; and a function that changes it. */
export function useFavorite(asset: Asset) {
  const { client } = useSession()
  const cache = useQueryClient()
  const { data } = useFavorites()
  const show = (isFavorite: boolean) =>
    cache.setQueryData<Favorites>(KEY, (before) => before && changed(before, asset, isFavorite))
  const change = useMutation({
    // Presses take effect in their order.
    scope: { id: `favorite ${asset.id}` },
    mutationFn: (isFavorite: boolean) =>
      isFavorite ? client.favorites.add({ id: asset.id }) : client.favorites.remove({ id: asset.id }),
    onMutate: async (isFavorite) => {
      await cache.cancelQueries({ queryKey: KEY })
      show(isFavorite)
    },
    onError: (error, isFavorite) => {
      show(!isFavorite)
      showError(error)
      return cache.invalidateQueries({ queryKey: KEY })
    },
    // The list that is shown keeps the asset, so that a second press takes the first one back.
    onSuccess: () => cache.invalidateQueries({ queryKey: [ASSETS, 'favorites'], refetchType: 'none' }),
  })
  return {
    isKnown: data !== undefined,
    isFavorite: data?.ids.has(asset.id) ?? false,
    count: data ? countOf(data, asset) : asset.favorites,
    change: change.mutate,
  }
}

function countOf({ ids, counts }: Favorites, { id, favorites }: Asset): number {
  const count = counts.get(id)
  if (count?.read === favorites) return count.shown
  return ids.has(id) ? Math.max(1, favorites) : favorites
}

function changed(before: Favorites, asset: Asset, isFavorite: boolean): Favorites {
  if (before.ids.has(asset.id) === isFavorite) return before
  const ids = new Set(before.ids)
  if (isFavorite) ids.add(asset.id)
  else ids.delete(asset.id)
  const shown = Math.max(0, countOf(before, asset) + (isFavorite ? 1 : -1))
  const counts = new Map(before.counts).set(asset.id, { read: asset.favorites, shown })
  return { ids, counts }
}

async function readFavorites(client: Client, signal: AbortSignal): Promise<Favorites> {
  const ids = new Set<string>()
  for await (const { id } of client.favorites.list({ limit: 100 }, { signal })) ids.add(id)
  return { ids, counts: new Map() }
}

import {
  type Act,
  agrees,
  type Command,
  codeOf,
  commandOn,
  type Requests,
  refused,
  refusedForWantOf,
  room,
} from './act.ts'
import { anyAsset } from './any-asset.ts'
import { assetSummary, readable } from './asset-record.ts'
import { aPlayer } from './choose.ts'
import { allPages } from './pages.ts'
import type { World } from './state.ts'

export const setFavorite = commandOn('setFavorite', true, anyAsset, addsFavorite)

export function addsFavorite(user: string, id: string): Act<Requests> {
  return {
    says: `${user} likes ${id}`,
    send: (service) => service.request(user, 'PUT', `/game/assets/${id}/favorite`),
    judge: (world, answer) => {
      if (!readable(world, user, id)) return refused(answer, 'ASSET_NOT_FOUND')
      const liked = world.favorites.get(user) ?? []
      if (!liked.includes(id)) {
        if (refusedForWantOf(room(world, user, { favorites: 1 }), answer)) return
        world.favorites.set(user, [...liked, id])
        recounted(world, id)
      }
      agrees(answer, 204)
    },
  }
}

export const deleteFavorite: Command = {
  operation: 'deleteFavorite',
  writes: true,
  draw: (world, draw) => {
    const { user, id } = anyAsset(world, draw)
    const [isLiked, liked] = [draw.chance(70), draw.of(world.favorites.get(user) ?? [])]
    return removesFavorite(user, isLiked && liked !== undefined ? liked : id)
  },
}

export function removesFavorite(user: string, id: string): Act<Requests> {
  return {
    says: `${user} no longer likes ${id}`,
    send: (service) => service.request(user, 'DELETE', `/game/assets/${id}/favorite`),
    judge: (world, answer) => {
      const liked = world.favorites.get(user) ?? []
      if (!liked.includes(id) && !readable(world, user, id)) return refused(answer, 'ASSET_NOT_FOUND')
      // The job removes those of assets that are gone, which is seen at once only where nothing else is under way.
      if (!world.assets.has(id) && codeOf(answer) === 'ASSET_NOT_FOUND') return forgetGone(world)
      world.favorites.set(
        user,
        liked.filter((other) => other !== id),
      )
      recounted(world, id)
      agrees(answer, 204)
    },
  }
}

/** The favorites of assets that are gone go with the job. */
export function forgetGone(world: World): void {
  for (const [user, liked] of world.favorites)
    world.favorites.set(
      user,
      liked.filter((id) => world.assets.has(id)),
    )
}

/** The number of users who like an asset is another one: its record says so after the next run of the job. */
export function recounted(world: World, id: string): void {
  world.assets
    .get(id)
    ?.favorites.push([...world.favorites.values()].filter((liked) => liked.includes(id)).length)
}

export const listFavorites: Command = {
  operation: 'listFavorites',
  writes: false,
  draw: (world, draw) => listsFavorites(aPlayer(world, draw), draw.one(100, 1, 2)),
}

export function listsFavorites(user: string, limit: number): Act<Requests> {
  return {
    says: `${user} lists favorites`,
    send: (service) =>
      allPages(
        { limit },
        (query) => service.request(user, 'GET', `/game/favorites?${query}`),
        'assets',
        'pages may be short',
      ),
    judge: (world, answer) => {
      const liked = (world.favorites.get(user) ?? []).toReversed()
      const assets = liked.flatMap((id) => readable(world, user, id) ?? [])
      agrees(answer, 200, { assets: assets.map(assetSummary), next_cursor: null })
    },
  }
}

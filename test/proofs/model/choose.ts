import type { Draw } from './act.ts'
import type { Item } from './files.ts'
import type { Asset, Page, Upload, World } from './state.ts'

/** An id that nothing has. */
export const UNKNOWN = '019a7e2c-6f7a-7000-8d3c-2b9f4e1a5c60'

export function aPlayer(world: World, draw: Draw): string {
  return draw.of(world.players) ?? world.operator
}

/** Somebody, and what they do it to. */
export interface Target {
  user: string
  id: string
}

interface Owned {
  id: string
  owner_id: string
}

/**
 * Mostly one of the things that fit, and its owner; sometimes anybody, sometimes anything of that kind, sometimes what
 * is gone or never was.
 */
export function aTarget(fitting: Owned[], all: Iterable<Owned>, world: World, draw: Draw): Target {
  const [player, number] = [aPlayer(world, draw), draw.below(1_000)]
  const [isGone, isAny, isAnybody, isUnknown] = [
    draw.chance(4),
    draw.chance(6),
    draw.chance(8),
    draw.chance(50),
  ]
  const gone = isUnknown ? UNKNOWN : (world.gone.at(-1 - (number % 10)) ?? UNKNOWN)
  const things = isAny || fitting.length === 0 ? [...all] : fitting
  const thing = things[number % Math.max(1, things.length)]
  if (isGone || !thing) return { user: player, id: gone }
  return { user: isAnybody ? player : thing.owner_id, id: thing.id }
}

/** An item, mostly one that is wanted. */
export function anItem(world: World, draw: Draw, wanted: (item: Item) => boolean = () => true): Target {
  return aTarget([...world.items.values()].filter(wanted), world.items.values(), world, draw)
}

export function isLive({ trashed_at }: Item): boolean {
  return trashed_at === null
}

/** A game asset, mostly one that is wanted: one that is not deleted, unless told otherwise. */
export function anAsset(world: World, draw: Draw, wanted: (asset: Asset) => boolean = isKept): Target {
  return aTarget([...world.assets.values()].filter(wanted), world.assets.values(), world, draw)
}

export function isKept({ deleted_at }: Asset): boolean {
  return deleted_at === null
}

/** An upload, mostly one that is wanted. */
export function anUpload(world: World, draw: Draw, wanted: (upload: Upload) => boolean = () => true): Target {
  return aTarget([...world.uploads.values()].filter(wanted), world.uploads.values(), world, draw)
}

/** Where something of the user's goes: the root, or mostly one of their folders. */
export function aPlace(world: World, user_id: string, draw: Draw): string | null {
  const isRoot = draw.chance(30)
  const isFolder = ({ owner_id, asset_type }: Item) => owner_id === user_id && asset_type === 'folder'
  const folders = [...world.items.values()].filter(isFolder)
  const { id } = aTarget(folders, world.items.values(), world, draw)
  return isRoot || folders.length === 0 ? null : id
}

const pages: Page[] = [
  {},
  { description: 'A castle.', tags: ['castle', 'horror'], metadata: { seed: 7 } },
  { tags: ['horror'], rating: 'teen' },
  { tags: ['maze', 'castle'], description: 'Line 1\nLine 2', listed: false },
  { rating: 'mature' },
  { rating: null },
  { tags: [], metadata: {} },
  { listed: true, rating: 'everyone' },
]

/** Some of what an asset says of itself. */
export function aPage(draw: Draw): Page {
  return draw.of(pages) ?? {}
}

const names = ['a', 'B', 'b', 'c c', 'Ä', 'ß', 'Käse 100%'] as const

export function aName(draw: Draw): string {
  return draw.of(names) ?? 'a'
}

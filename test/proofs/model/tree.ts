import type { ErrorCode } from '../../../src/platform/errors.ts'
import { forget, forgetShare, forgetUpload } from './counting.ts'
import type { Item } from './files.ts'
import { EITHER, type ShownItem } from './records.ts'
import { now, type World } from './state.ts'

/** The item and what is above it, up to the root or to where a folder is missing. */
export function pathOf({ items }: Pick<World, 'items'>, id: string | null): Item[] {
  const item = id === null ? undefined : items.get(id)
  return item ? [item, ...pathOf({ items }, item.parent_id)] : []
}

/** Where an item stands for everybody: live, in the trash, or gone. The nearest deletion above it decides. */
export function standing(world: World, id: string): 'live' | 'trashed' | 'gone' {
  const path = pathOf(world, id)
  if (path.length === 0) return 'gone'
  return path.some(({ trashed_at }) => trashed_at !== null) ? 'trashed' : 'live'
}

/** The item, if it is the user's and live. */
export function ownLive(world: World, user_id: string, id: string): Item | undefined {
  const item = world.items.get(id)
  return item?.owner_id === user_id && standing(world, id) === 'live' ? item : undefined
}

/** The item, if it is the user's and in the trash, directly or with a folder above it. */
export function ownTrashed(world: World, user_id: string, id: string): Item | undefined {
  const item = world.items.get(id)
  return item?.owner_id === user_id && standing(world, id) === 'trashed' ? item : undefined
}

export function isBlocked(world: World, id: string): boolean {
  return pathOf(world, id).some(({ blocked }) => blocked)
}

/** What a user sees of an item: it, and the folders above it from the top down, as far as they may know of them. */
export function sight(
  world: World,
  user_id: string,
  id: string,
): { item: Item; above: Item[]; isTop: boolean } | undefined {
  const [item, ...above] = pathOf(world, id)
  if (!item || standing(world, id) !== 'live') return undefined
  if (item.owner_id === user_id) return { item, above: above.reverse(), isTop: item.parent_id === null }
  const path = [item, ...above]
  const top = path.findLastIndex(({ is_public }) => is_public)
  if (top < 0 || isBlocked(world, id)) return undefined
  return { item, above: path.slice(1, top + 1).reverse(), isTop: top === 0 }
}

export function inside(world: World, id: string): Item[] {
  return [...world.items.values()].filter(({ parent_id }) => parent_id === id)
}

/** How many folders lie above what is put into the folder; 0 for the root. */
export function level(world: World, folder_id: string | null): number {
  return pathOf(world, folder_id).length
}

/**
 * How many levels of folders there are from an item down to the deepest item: 0 when it holds nothing. `all`: what has
 * been deleted counts, too.
 */
export function height(world: World, id: string, all: boolean): number {
  const counted = inside(world, id).filter(({ trashed_at }) => all || trashed_at === null)
  return counted.length === 0 ? 0 : 1 + Math.max(...counted.map((item) => height(world, item.id, all)))
}

/** The record has changed, and so will its ETag. */
export function changed(item: Item): void {
  item.changes++
}

/** The item as a user sees it, its owner by default: blocked also when a folder above it is. Only the owner sees that it is shared. */
export function shown(world: World, item: Item, user_id = item.owner_id): ShownItem {
  const shared = user_id === item.owner_id ? isShared(world, item) : false
  return { ...item, blocked: isBlocked(world, item.id), shared }
}

/** Whether others have shares of the item. A share that has expired counts until the job has flagged it. */
export function isShared(world: World, { id, has_hidden_shares }: Item): ShownItem['shared'] {
  const shares = [...world.shares.values()].filter(({ file_id }) => file_id === id)
  if (shares.some(({ expires_at }) => (expires_at ?? Infinity) > now(world))) return true
  return shares.length > 0 || has_hidden_shares ? EITHER : false
}

/** It leaves its place: what a moderator did goes with what leaves every blocked folder above it. */
export function place(world: World, item: Item, parent_id: string | null): void {
  const top = pathOf(world, item.id)
    .slice(1)
    .findLast(({ blocked }) => blocked)
  if (top && !(parent_id !== null && pathOf(world, parent_id).includes(top))) item.blocked = true
  item.parent_id = parent_id
}

/** Removes an item for good, with all that is below it but what had been deleted before. */
export function remove(world: World, item: Item): void {
  for (const below of inside(world, item.id)) {
    if (below.trashed_at === null) remove(world, below)
    else if (isBlocked(world, item.id) && !below.blocked) {
      below.blocked = true
      changed(below)
    }
  }
  const { id, owner_id, size_bytes, processing_state } = item
  for (const upload of [...world.uploads.values()]) if (upload.file_id === id) forgetUpload(world, upload)
  for (const share of [...world.shares.values()]) if (share.file_id === id) forgetShare(world, share)
  world.items.delete(id)
  if (world.pictures.get(owner_id)?.picture_id === id) world.pictures.delete(owner_id)
  forget(world, owner_id, id, { items: 1, bytes: processing_state === 'ready' ? size_bytes : 0 })
}

/** Why nothing may be put into a folder. */
export function placeRefusal(world: World, user_id: string, parent_id: string | null): ErrorCode | undefined {
  if (parent_id === null) return undefined
  const folder = ownLive(world, user_id, parent_id)
  if (!folder) return 'FILE_PARENT_NOT_FOUND'
  if (folder.asset_type !== 'folder') return 'FILE_PARENT_NOT_FOLDER'
  return undefined
}

/** Why nothing new may be put there: as `placeRefusal`, and not too deep. */
export function entryRefusal(world: World, user_id: string, parent_id: string | null): ErrorCode | undefined {
  const isTooDeep = level(world, parent_id) > world.limits.MAX_FOLDER_DEPTH
  return placeRefusal(world, user_id, parent_id) ?? (isTooDeep ? 'LIMIT_REACHED' : undefined)
}

import { isFading, mutesOf } from './mutes.ts'
import { type Asset, now, type Share, type Upload, type Version, type World } from './state.ts'

/** What counts against a user's limits. */
export interface Counts {
  bytes: number
  items: number
  assets: number
  /** Those that their owner shows to everybody. */
  shown: number
  versions: number
  uploads: number
  favorites: number
  mutes: number
}

export const nothing: Readonly<Counts> = {
  bytes: 0,
  items: 0,
  assets: 0,
  shown: 0,
  versions: 0,
  uploads: 0,
  favorites: 0,
  mutes: 0,
}

export function sum(one: Counts, other: Counts): Counts {
  return {
    bytes: one.bytes + other.bytes,
    items: one.items + other.items,
    assets: one.assets + other.assets,
    shown: one.shown + other.shown,
    versions: one.versions + other.versions,
    uploads: one.uploads + other.uploads,
    favorites: one.favorites + other.favorites,
    mutes: one.mutes + other.mutes,
  }
}

/** What the user has, counted anew each time. */
export function used(world: World, user_id: string): Counts {
  const items = [...world.items.values()].filter(({ owner_id }) => owner_id === user_id)
  const assets = [...world.assets.values()].filter(({ owner_id }) => owner_id === user_id)
  const open = [...world.uploads.values()].filter(
    ({ owner_id, state }) => owner_id === user_id && state === 'open',
  )
  const bytes = [
    ...items.filter(({ processing_state }) => processing_state === 'ready'),
    ...assets.flatMap(contentsOf),
    ...open,
  ].reduce((all, { size_bytes }) => all + size_bytes, 0)
  const previews = assets.reduce((all, asset) => all + previewBytes(world, asset), 0)
  return {
    bytes: bytes + previews,
    items: items.length,
    assets: assets.length,
    shown: assets.filter(isShown).length,
    versions: assets.reduce((all, asset) => all + versionsAndVariants(asset), 0),
    uploads: open.length,
    favorites: favoritesOf(world, user_id).filter((id) => world.assets.has(id)).length,
    mutes: mutesOf(world, user_id).filter((mute) => !isFading(world, mute)).length,
  }
}

/** The bytes of what the user has, by kind, counted anew each time. */
export function usedParts(world: World, user_id: string): Map<string, number> {
  const found = new Map<string, number>()
  const add = (kind: string, bytes: number) => found.set(kind, (found.get(kind) ?? 0) + bytes)
  const own = <One extends { owner_id: string }>(things: Map<string, One>) =>
    [...things.values()].filter(({ owner_id }) => owner_id === user_id)
  for (const { asset_type, processing_state, size_bytes } of own(world.items))
    if (processing_state === 'ready') add(asset_type, size_bytes)
  for (const { state, size_bytes } of own(world.uploads)) if (state === 'open') add('open_upload', size_bytes)
  for (const asset of own(world.assets)) {
    for (const { size_bytes } of contentsOf(asset)) add(asset.type, size_bytes)
    add('preview', previewBytes(world, asset))
  }
  return found
}

/** Whether its owner shows it to everybody, whatever a moderator did. */
export function isShown({ visibility, deleted_at }: Asset): boolean {
  return visibility === 'public' && deleted_at === null
}

/** The distinct contents of an asset, those of variants too: a rollback shares what is there. */
export function contentsOf({ versions }: Asset): Pick<Version, 'content' | 'size_bytes'>[] {
  const all = versions.flatMap((version) => [version, ...version.variants])
  return [...new Map(all.map(({ content, size_bytes }) => [content, { content, size_bytes }])).values()]
}

/** The versions of an asset and their variants, which one limit counts. */
export function versionsAndVariants({ versions }: Asset): number {
  return versions.reduce((all, { variants }) => all + 1 + variants.length, 0)
}

/** How long the preview of an asset is. */
export function previewBytes({ objects }: World, { preview }: Asset): number {
  return preview === null ? 0 : (objects.get(preview)?.length ?? 0)
}

/** How much of it may still be counted although it has gone. */
export function releasingOf(world: World, user_id: string): Counts {
  const given_up = world.given_up.filter(({ owner_id }) => owner_id === user_id).length
  const of_gone = favoritesOf(world, user_id).filter((id) => !world.assets.has(id)).length
  const fading = mutesOf(world, user_id).filter((mute) => isFading(world, mute)).length
  const gone = { ...nothing, uploads: given_up, favorites: of_gone, mutes: fading }
  return sum(world.releasing.get(user_id) ?? nothing, gone)
}

function favoritesOf({ favorites }: World, user_id: string): string[] {
  return favorites.get(user_id) ?? []
}

export function limitOf({ limit_bytes, limits }: World, user_id: string): number {
  return limit_bytes[user_id] ?? limits.DEFAULT_QUOTA_BYTES
}

/** What no longer counts, from now on or from the next run of the job. */
export function release(world: World, user_id: string, counted: Partial<Counts>): void {
  world.releasing.set(user_id, sum(world.releasing.get(user_id) ?? nothing, { ...nothing, ...counted }))
}

/** The clock of the database may be ahead of the story's, which stands still between two steps. */
const AHEAD = 600

/** An upload that did not complete may count until its last URL has expired, and the job has run. */
export function giveUp(world: World, { owner_id, expires_at }: Upload): void {
  const until = Math.min(expires_at, now(world) + world.limits.UPLOAD_URL_TTL)
  world.given_up.push({ owner_id, until: until + AHEAD })
}

/** Says that something has gone for good, and what it counted. */
export function forget(world: World, user_id: string, id: string, counted: Partial<Counts>): void {
  world.gone.push(id)
  release(world, user_id, counted)
}

/** Removes an upload that goes with what it was for, or with its user. */
export function forgetUpload(world: World, upload: Upload): void {
  const { id, owner_id, state, size_bytes } = upload
  if (state === 'open') giveUp(world, upload)
  world.uploads.delete(id)
  forget(world, owner_id, id, state === 'open' ? { uploads: 1, bytes: size_bytes } : {})
}

/** Removes a share that goes with its file, or with its grantee, or is revoked. */
export function forgetShare(world: World, { id }: Share): void {
  world.shares.delete(id)
  world.gone.push(id)
}

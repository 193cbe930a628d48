import type { Asset, Share, Upload, World } from './world.ts'

/** What counts against a user's limits. */
export interface Counts {
  bytes: number
  items: number
  assets: number
  /** Those that their owner shows to everybody. */
  shown: number
  versions: number
  uploads: number
}

export const nothing: Readonly<Counts> = { bytes: 0, items: 0, assets: 0, shown: 0, versions: 0, uploads: 0 }

export function sum(one: Counts, other: Counts): Counts {
  return {
    bytes: one.bytes + other.bytes,
    items: one.items + other.items,
    assets: one.assets + other.assets,
    shown: one.shown + other.shown,
    versions: one.versions + other.versions,
    uploads: one.uploads + other.uploads,
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
    ...assets.flatMap(({ versions }) => versions),
    ...open,
  ].reduce((all, { size_bytes }) => all + size_bytes, 0)
  return {
    bytes,
    items: items.length,
    assets: assets.length,
    shown: assets.filter(isShown).length,
    versions: assets.reduce((all, { versions }) => all + versions.length, 0),
    uploads: open.length,
  }
}

/** Whether its owner shows it to everybody, whatever a moderator did. */
export function isShown({ visibility, deleted_at }: Asset): boolean {
  return visibility === 'public' && deleted_at === null
}

/** How much of it may still be counted although it has gone. */
export function releasingOf(world: World, user_id: string): Counts {
  return world.releasing.get(user_id) ?? nothing
}

export function limitOf({ limit_bytes, limits }: World, user_id: string): number {
  return limit_bytes[user_id] ?? limits.DEFAULT_QUOTA_BYTES
}

/** What no longer counts, from now on or from the next run of the job. */
export function release(world: World, user_id: string, counted: Partial<Counts>): void {
  world.releasing.set(user_id, sum(releasingOf(world, user_id), { ...nothing, ...counted }))
}

/** Says that something has gone for good, and what it counted. */
export function forget(world: World, user_id: string, id: string, counted: Partial<Counts>): void {
  world.gone.push(id)
  release(world, user_id, counted)
}

/** Removes an upload that goes with what it was for, or with its user. */
export function forgetUpload(world: World, { id, owner_id, state, size_bytes }: Upload): void {
  world.uploads.delete(id)
  forget(world, owner_id, id, state === 'open' ? { uploads: 1, bytes: size_bytes } : {})
}

/** Removes a share that goes with its file, or with its grantee, or is revoked. */
export function forgetShare(world: World, { id }: Share): void {
  world.shares.delete(id)
  world.gone.push(id)
}

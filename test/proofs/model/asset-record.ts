import { expect } from 'vitest'
import { contentsOf, forget, isShown, previewBytes } from './counting.ts'
import { type Asset, bornAt, boundOf, type Rating, type Version, type World } from './state.ts'

/** An asset (docs/conformance.md#game-assets). */
export function assetRecord(asset: Asset) {
  const { description, metadata } = asset
  return { ...assetSummary(asset), description, metadata }
}

/** The same as lists have it. */
export function assetSummary(asset: Asset) {
  const { id, owner_id, type, name, tags, visibility, listed, rating, favorites, blocked } = asset
  const { published_at, created_at, updated_at } = asset
  const preview_url = previewPath(asset)
  return {
    id,
    owner_id,
    type,
    name,
    tags,
    visibility,
    listed,
    rating,
    preview_url,
    preview_width: preview_url && asset.preview_width,
    preview_height: preview_url && asset.preview_height,
    current_version: currentVersion(asset),
    favorites: expect.toSatisfy((shown) => favorites.some((count) => count === shown)),
    published_at,
    created_at,
    updated_at,
    ...(blocked && { blocked }),
  }
}

/** The path of the preview's URL as `agrees` (act.ts) compares it: which content it leads to is known by the rows. */
function previewPath(asset: Asset): string | null {
  const { id, preview, blocked, deleted_at } = asset
  if (preview === null || blocked || deleted_at !== null) return null
  return `/pictures/assets/${id}${isListed(asset) ? '' : ' with a signature'}`
}

/** The number of the current version, which is never deleted alone; 0 without content. */
export function currentVersion({ versions }: Asset): number {
  return versions.at(-1)?.version ?? 0
}

/** A version by its number. */
export function versionOf(asset: Asset | undefined, number: number): Version | undefined {
  return asset?.versions.find(({ version }) => version === number)
}

/** Says that the record of an asset is another one. */
export function changedAsset(asset: Asset): void {
  asset.changes++
}

/** A version as the asset's owner sees it (docs/conformance.md#game-assets). */
export function versionRecord({ content, ...version }: Version) {
  return { ...version, platform: null, variants: [] }
}

/** The same for anybody who may read it: a source is told to those who may find it, and to the branch's owner. */
export function versionFor(world: World, user: string, asset: Asset, version: Version) {
  const source = version.branched_from_asset_id
  const found = source === null ? undefined : readable(world, user, source)
  const isFound = found !== undefined && (found.owner_id === user || isInCatalogue(found))
  const isTold = source === null || asset.owner_id === user || isFound
  const untold = { branched_from_asset_id: null, branched_from_version: null }
  return { ...versionRecord(version), ...(!isTold && untold) }
}

export function newestFirst(world: World, user: string, asset: Asset, count = asset.versions.length) {
  const newest = asset.versions.toReversed().slice(0, count)
  return newest.map((version) => versionFor(world, user, asset, version))
}

/** Whether pages of the catalogue show it. */
export function isInCatalogue(asset: Asset): boolean {
  return isListed(asset) && asset.listed && !asset.unlisted
}

/** Whether anybody may know of it. */
export function isListed({ visibility, blocked, deleted_at }: Asset): boolean {
  return visibility === 'public' && !blocked && deleted_at === null
}

const levels: readonly Rating[] = ['everyone', 'teen', 'mature']

/** How high a rating is. One that nobody has said is the lowest. */
export function levelOf(rating: Rating): number {
  return Math.max(levels.indexOf(rating), 0)
}

/** Whether a rating is not above a bound. */
export function isWithin({ rating }: Asset, bound: Rating | undefined): boolean {
  return bound === undefined || levelOf(rating) <= levelOf(bound)
}

/** Whether the tokens of a user let them see an asset, if it is not hidden from everybody. */
export function isSeenBy(user: string, asset: Asset): boolean {
  return asset.owner_id === user || isWithin(asset, boundOf(user))
}

/** The asset, if the user may read it. */
export function readable(world: World, user: string, id: string): Asset | undefined {
  const asset = world.assets.get(id)
  if (!asset || asset.deleted_at !== null) return undefined
  return asset.owner_id === user || (isListed(asset) && isSeenBy(user, asset)) ? asset : undefined
}

/** The asset, if it is the user's and not deleted. */
export function ownAsset(world: World, user: string, id: string): Asset | undefined {
  const asset = world.assets.get(id)
  return asset?.owner_id === user && asset.deleted_at === null ? asset : undefined
}

export function newAsset(
  world: World,
  asset: Pick<Asset, 'id' | 'owner_id' | 'type' | 'name' | 'visibility'> & Partial<Asset>,
): Asset {
  const now = bornAt(world, asset.owner_id)
  const made: Asset = {
    description: '',
    tags: [],
    metadata: {},
    listed: true,
    rating: null,
    published_at: asset.visibility === 'public' ? now : null,
    public_since: asset.visibility === 'public' ? now : null,
    private_since: null,
    preview: null,
    preview_width: null,
    preview_height: null,
    favorites: [0],
    blocked: false,
    unlisted: false,
    rating_locked: null,
    measure: undefined,
    branched_from: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    versions: [],
    changes: 0,
    etags: {},
    ...asset,
  }
  world.assets.set(made.id, made)
  return made
}

export function newVersion(
  world: World,
  asset: Asset,
  version: Pick<Version, 'id' | 'size_bytes' | 'content'> & Partial<Version>,
): Version {
  const made = {
    asset_id: asset.id,
    version: currentVersion(asset) + 1,
    checksum_sha256: null,
    notes: null,
    created_at: bornAt(world, asset.owner_id),
    branched_from_asset_id: null,
    branched_from_version: null,
    ...version,
  }
  asset.versions.push(made)
  asset.updated_at = made.created_at
  changedAsset(asset)
  return made
}

/** Removes an asset for good. Content that another one shares stays. */
export function removeAsset(world: World, asset: Asset): void {
  world.assets.delete(asset.id)
  const bytes = contentsOf(asset).reduce(
    (all, { size_bytes }) => all + size_bytes,
    previewBytes(world, asset),
  )
  const counted = { assets: 1, shown: Number(isShown(asset)), versions: asset.versions.length, bytes }
  forget(world, asset.owner_id, asset.id, counted)
}

/** Ids sort by time. */
export function byNewest(world: World): Asset[] {
  return [...world.assets.values()].sort((one, other) => (one.id < other.id ? 1 : -1))
}

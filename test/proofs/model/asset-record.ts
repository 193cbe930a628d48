import { expect } from 'vitest'
import { contentsOf, forget, isShown, previewBytes, versionsAndVariants } from './counting.ts'
import { type Asset, bornAt, boundOf, type Rating, type Variant, type Version, type World } from './state.ts'

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
    updated_at: Math.max(updated_at, asset.unseen_at ?? 0),
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

/** The version that players get. */
export function servedVersion(asset: Asset): number {
  return asset.channels.get('live')?.version ?? currentVersion(asset)
}

/** The asset as it is up to a version: as others see it, or whoever comes with the key of a channel. */
function upTo(asset: Asset, ceiling: number): Asset {
  return { ...asset, versions: asset.versions.filter(({ version }) => version <= ceiling) }
}

/** An asset as a user sees it who may read it. */
export function seenBy(user: string, asset: Asset): Asset {
  return asset.owner_id === user ? asset : asOthers(asset)
}

/** An asset as others than its owner see it. */
export function asOthers(asset: Asset): Asset {
  const { changes, unseen, etags_of_others } = asset
  return {
    ...upTo(asset, servedVersion(asset)),
    changes: changes - unseen,
    etags: etags_of_others,
    unseen_at: null,
  }
}

/** The asset as of the channel that has this key; undefined: no channel of it has. */
function asOfChannel(asset: Asset, key: string): Asset | undefined {
  const channel = [...asset.channels.values()].find((one) => one.key === key)
  if (!channel) return undefined
  const updated_at = Math.max(asset.updated_at, channel.updated_at)
  return { ...upTo(asset, channel.version), updated_at, unseen_at: null }
}

/** The variants of a version as another one gets them that is made now. */
export function copiesOf({ variants }: Version, created_at: number): Variant[] {
  return variants.map((variant) => ({ ...variant, created_at }))
}

/** What is served of a version to a platform; without a platform, the version's own content. */
export function contentFor(version: Version, platform: string | undefined) {
  const variant = version.variants.find((one) => one.platform === platform)
  if (!variant && platform !== undefined && version.platform !== null && version.platform !== platform)
    return undefined
  const { size_bytes, checksum_sha256, content } = variant ?? version
  return {
    version: version.version,
    platform: variant ? variant.platform : version.platform,
    size_bytes,
    checksum_sha256,
    content,
  }
}

/** The version that is served without a number: with a build, the highest one that fits. */
export function versionServed(
  { versions }: Asset,
  ceiling: number,
  build: number | undefined,
): Version | undefined {
  return versions.findLast(({ version, min_build, max_build }) => {
    if (version > ceiling) return false
    return build === undefined
      ? version === ceiling
      : (min_build ?? 0) <= build && build <= (max_build ?? Infinity)
  })
}

/** A version by its number. */
export function versionOf(asset: Asset | undefined, number: number): Version | undefined {
  return asset?.versions.find(({ version }) => version === number)
}

/** Says that the record of an asset is another one. */
export function changedAsset(asset: Asset): void {
  asset.changes++
}

/** Says that a version of an asset changed, or is new or gone: others see that up to the one that they get. */
export function changedVersion(asset: Asset, number: number, at: number): void {
  if (number > servedVersion(asset)) changedUnseen(asset, at)
  else {
    asset.updated_at = at
    changedAsset(asset)
  }
}

/** Says that the record of an asset is another one for its owner alone. */
export function changedUnseen(asset: Asset, at: number): void {
  asset.unseen_at = at
  asset.unseen++
  changedAsset(asset)
}

/** A version as the asset's owner sees it (docs/conformance.md#game-assets). */
export function versionRecord({ content, deleted_platforms, variants, ...version }: Version) {
  return {
    ...version,
    variants: variants
      .map(({ content, ...variant }) => variant)
      .sort((one, other) => (one.platform < other.platform ? -1 : 1)),
  }
}

/** The same for anybody who may read it: a source is told to those who may find it, and to the branch's owner. */
export function versionFor(world: World, user: string, asset: Asset, version: Version) {
  const source = version.branched_from_asset_id
  const found = source === null ? undefined : readable(world, user, source)
  const isFound =
    found !== undefined &&
    (found.owner_id === user || isInCatalogue(found)) &&
    (version.branched_from_version ?? 0) <= currentVersion(found)
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
  return asset.owner_id === user || (isListed(asset) && isSeenBy(user, asset))
    ? seenBy(user, asset)
    : undefined
}

/** What is told to a user who asks for an asset, perhaps with the key of a channel. */
export function readableAs(
  world: World,
  user: string,
  id: string,
  key: string | undefined,
): Asset | 'ASSET_NOT_FOUND' | 'CHANNEL_NOT_FOUND' {
  if (!readable(world, user, id)) return 'ASSET_NOT_FOUND'
  const asset = world.assets.get(id)
  if (!asset || key === undefined) return readable(world, user, id) ?? 'ASSET_NOT_FOUND'
  return asOfChannel(asset, key) ?? 'CHANNEL_NOT_FOUND'
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
    channels: new Map(),
    changes: 0,
    etags: {},
    unseen: 0,
    unseen_at: null,
    etags_of_others: {},
    released: 0,
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
  const made: Version = {
    asset_id: asset.id,
    version: currentVersion(asset) + 1,
    checksum_sha256: null,
    notes: null,
    created_at: bornAt(world, asset.owner_id),
    branched_from_asset_id: null,
    branched_from_version: null,
    min_build: null,
    max_build: null,
    platform: null,
    variants: [],
    deleted_platforms: [],
    ...version,
  }
  asset.versions.push(made)
  changedVersion(asset, made.version, made.created_at)
  return made
}

/** Removes an asset for good. Content that another one shares stays. */
export function removeAsset(world: World, asset: Asset): void {
  world.assets.delete(asset.id)
  const bytes = contentsOf(asset).reduce(
    (all, { size_bytes }) => all + size_bytes,
    previewBytes(world, asset),
  )
  const counted = { assets: 1, shown: Number(isShown(asset)), versions: versionsAndVariants(asset), bytes }
  forget(world, asset.owner_id, asset.id, counted)
}

/** Ids sort by time. */
export function byNewest(world: World): Asset[] {
  return [...world.assets.values()].sort((one, other) => (one.id < other.id ? 1 : -1))
}

/**
 * What "Releases" says about assets, as plain data and loops: who sees which version, and which content they get. Written from the
 * contract (docs/conformance.md#releases) alone.
 */

/** A content is known by its size: no two of a history are alike. */
export type Content = number

export interface Version {
  version: number
  content: Content
  /** null: the version's own content is for all platforms. */
  platform: string | null
  notes: string | null
  min_build: number | null
  max_build: number | null
  variants: Map<string, Content>
  /** The platforms of variants that were deleted: they are not free again. */
  deleted: Set<string>
}

interface Channel {
  version: number
  /** null: of `live`. */
  key: string | null
}

export interface Asset {
  id: string
  owner: string
  name: string
  is_public: boolean
  is_in_catalogue: boolean
  is_deleted: boolean
  is_blocked: boolean
  /** By number. */
  versions: Map<number, Version>
  /** The highest number; 0: the asset has no content. */
  current: number
  channels: Map<string, Channel>
  /** The keys of channels that are gone. */
  old_keys: string[]
}

export type World = Map<string, Asset>

/** The code of an error. */
export interface Refusal {
  code: string
}

/** Somebody who asks, perhaps with the key of a channel. */
export interface Viewer {
  user: string
  key?: string | undefined
}

/** Content that is served. */
export interface Served {
  version: number
  platform: string | null
  content: Content
}

const refusal = (code: string): Refusal => ({ code })

export function isRefusal<Value extends object>(value: Value | Refusal): value is Refusal {
  return 'code' in value
}

/** The version that players get. */
export function servedVersion(asset: Asset): number {
  return asset.channels.get('live')?.version ?? asset.current
}

function isPublic(asset: Asset): boolean {
  return asset.is_public && !asset.is_blocked && !asset.is_deleted
}

function isReadable(asset: Asset, user: string): boolean {
  if (asset.is_deleted) return false
  return asset.owner === user || isPublic(asset)
}

/** What somebody sees of an asset: `ceiling` is the highest version that they can name, `served` the one that they get without a number. */
interface Seen {
  asset: Asset
  ceiling: number
  served: number
}

export function seenBy(world: World, id: string, { user, key }: Viewer): Seen | Refusal {
  const asset = world.get(id)
  if (!asset || !isReadable(asset, user)) return refusal('ASSET_NOT_FOUND')
  const served = servedVersion(asset)
  if (key === undefined) return { asset, ceiling: asset.owner === user ? asset.current : served, served }
  for (const channel of asset.channels.values())
    if (channel.key !== null && channel.key === key)
      return { asset, ceiling: channel.version, served: channel.version }
  return refusal('CHANNEL_NOT_FOUND')
}

/** The version of this number, if the viewer may name it. */
export function versionNamed({ asset, ceiling }: Seen, number: number): Version | Refusal {
  const version = asset.versions.get(number)
  return version && number <= ceiling ? version : refusal('VERSION_NOT_FOUND')
}

function fits({ min_build, max_build }: Version, build: number | undefined): boolean {
  if (build === undefined) return true
  return (min_build === null || min_build <= build) && (max_build === null || build <= max_build)
}

/** The version that the viewer gets without naming one: with a build, the highest one that fits. */
function versionServed({ asset, served }: Seen, build: number | undefined): Version | Refusal {
  if (build === undefined) return asset.versions.get(served) ?? refusal('VERSION_NOT_FOUND')
  let best: Version | undefined
  for (const version of asset.versions.values())
    if (version.version <= served && fits(version, build) && version.version > (best?.version ?? 0))
      best = version
  return best ?? refusal('VERSION_NOT_FOUND')
}

/** The content of a version for a platform; without a platform, the version's own. */
function contentFor(version: Version, platform: string | undefined): Served | Refusal {
  const own = { version: version.version, platform: version.platform, content: version.content }
  if (platform === undefined) return own
  const variant = version.variants.get(platform)
  if (variant !== undefined) return { version: version.version, platform, content: variant }
  if (version.platform === null || version.platform === platform) return own
  return refusal('VARIANT_NOT_FOUND')
}

/** An item of a request for URLs. */
export interface Wanted {
  asset_id: string
  version?: number | undefined
  build?: number | undefined
  platform?: string | undefined
  channel_key?: string | undefined
}

/** What an item of `POST /v1/game/urls` answers, and `…/versions/{version}/url` with its version. */
export function urlOf(world: World, user: string, wanted: Wanted): Served | Refusal {
  const seen = seenBy(world, wanted.asset_id, { user, key: wanted.channel_key })
  if (isRefusal(seen)) return seen
  const version =
    wanted.version === undefined ? versionServed(seen, wanted.build) : versionNamed(seen, wanted.version)
  return isRefusal(version) ? version : contentFor(version, wanted.platform)
}

/** What an item of `POST /v1/game/updates` answers to somebody who has `had`; null: it is what they have. */
export function updateOf(world: World, user: string, wanted: Wanted, had: number): Served | Refusal | null {
  const served = urlOf(world, user, { ...wanted, version: undefined })
  return !isRefusal(served) && served.version === had ? null : served
}

/** The numbers of the versions that the viewer sees, newest first. */
export function versionsOf({ asset, ceiling }: Seen): Version[] {
  return [...asset.versions.values()]
    .filter(({ version }) => version <= ceiling)
    .sort((one, other) => other.version - one.version)
}

const RECENT = 10

/** What decides the record of an asset: `current_version`, and the newest versions. */
export interface SeenRecord {
  name: string
  current_version: number
  versions: Version[]
}

export function recordOf(world: World, id: string, viewer: Viewer): SeenRecord | Refusal {
  const seen = seenBy(world, id, viewer)
  if (isRefusal(seen)) return seen
  return {
    name: seen.asset.name,
    current_version: seen.ceiling,
    versions: versionsOf(seen).slice(0, RECENT),
  }
}

/** The public endpoint: what others get, for the owner too. */
export function publicRecordOf(world: World, id: string): SeenRecord | Refusal {
  const asset = world.get(id)
  if (!asset || !isPublic(asset)) return refusal('ASSET_NOT_FOUND')
  const version = asset.versions.get(servedVersion(asset))
  return {
    name: asset.name,
    current_version: servedVersion(asset),
    versions: version ? [version] : [],
  }
}

/** The version that a branch is made from. */
export function branchSource(
  world: World,
  id: string,
  viewer: Viewer,
  from_version: number | undefined,
): Version | Refusal {
  const seen = seenBy(world, id, viewer)
  if (isRefusal(seen)) return seen
  if (seen.asset.current === 0) return refusal('NO_VERSIONS_TO_BRANCH')
  return versionNamed(seen, from_version ?? seen.ceiling)
}

/** The catalogue: the public assets with the version that players get; with a platform, those that have it there or are for all. */
export function catalogueOf(world: World, owner: string, platform?: string): Map<string, number> {
  const shown = new Map<string, number>()
  for (const asset of world.values()) {
    if (asset.owner !== owner || !isPublic(asset) || !asset.is_in_catalogue) continue
    const version = asset.versions.get(servedVersion(asset))
    if (platform !== undefined && (!version || isRefusal(contentFor(version, platform)))) continue
    shown.set(asset.id, servedVersion(asset))
  }
  return shown
}

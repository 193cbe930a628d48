import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { type Rating, ratings } from '../../platform/db/enumerations.ts'
import { newId, partitionOf } from '../../platform/db/id.ts'
import {
  createIdempotently,
  dropExpiredKey,
  type IdempotencyKey,
  isKnown,
  probeKey,
} from '../../platform/db/idempotency.ts'
import { assetVersions, gameAssets } from '../../platform/db/schema.ts'
import { insert, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { searchName } from '../../platform/lib/text.ts'
import { nearOrFar } from '../../platform/shards/near.ts'
import { thresholdByCharge } from '../quota/events.ts'
import { ensureUsageRow, roomOf, whyNoRoom } from '../quota/usage.ts'
import { isReadable, readable, readOwnAsset, type Viewer } from './access.ts'
import { recordAsset } from './create.ts'
import { assetCreated, versionAdded } from './events.ts'
import { type BranchLink, isInOwnPartition, linkToSource, noLink } from './hints.ts'
import { isContentKept, isOwnContent, keepContents } from './markers.ts'
import { duplicateName, orDuplicate, probeName } from './name.ts'
import { type AssetRow, assetWithId, type VersionRow, versionColumns, versionOf } from './row.ts'
import type { BranchAsset } from './schema.ts'
import { type ChannelRow, ceilingOf, channelOf } from './served.ts'
import { copyVariants, hasVariants, insertVariants, type VariantRow, variantsOf } from './variants.ts'

/** A new asset with its first version. */
export interface Branch {
  asset: AssetRow
  version: VersionRow
}

/**
 * Creates a private asset of the caller's from a version, with its variants, of an asset that the caller may read
 * (docs/conformance.md#game-assets). Branch and source share the contents, which stay until both are gone. A branch of the caller's own asset takes over what a
 * moderator did to it, so branching does not evade one. A branch has the rating of its source at least.
 *
 * @throws ASSET_NOT_FOUND, CHANNEL_NOT_FOUND, NO_VERSIONS_TO_BRANCH, VERSION_NOT_FOUND, DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED,
 * LIMIT_REACHED (assets, all_versions, idempotency_keys), IDEMPOTENCY_KEY_REUSED
 */
export async function branchAsset(
  ctx: RequestContext,
  source_id: string,
  input: BranchAsset,
  key?: IdempotencyKey,
): Promise<Branch> {
  return createIdempotently(ctx.db, key, {
    create: async () =>
      (await branchInPartition(ctx, source_id, input, key)) ?? branchWithLinks(ctx, source_id, input, key),
    replay: (made_id) => readBranch(ctx, made_id),
    explain: () => whyNotBranched(ctx, source_id, input),
  })
}

/**
 * Branches an asset of the caller's own partition whose contents were uploaded there: one batch, without marker and hint.
 * Undefined for any other asset or content.
 */
async function branchInPartition(
  ctx: RequestContext,
  source_id: string,
  { name, from_version, channel_key, rating }: BranchAsset,
  key: IdempotencyKey | undefined,
): Promise<Branch | undefined> {
  if (!isInOwnPartition(ctx, source_id)) return undefined
  return insertBranch(ctx, 'own', {
    id: newId(ctx.user_id),
    name,
    rating,
    source_id,
    from_version,
    object_keys: null,
    channel_key,
    link: noLink,
    key,
  })
}

/**
 * Branches any asset: markers keep contents of other partitions from before the branch is written, and a hint leads from
 * a source in another partition to the branch (docs/scaling.md). Source and caller are checked first, so that a refused
 * branch leaves neither behind. The branch gets the variants that were found then: while one was deleted since, it is tried again.
 */
async function branchWithLinks(
  ctx: RequestContext,
  source_id: string,
  input: BranchAsset,
  key: IdempotencyKey | undefined,
): Promise<Branch | undefined> {
  const found = await findSource(ctx, source_id, input, key)
  if (!found) return undefined
  const { version } = found.version
  const { name, rating, channel_key } = input
  const object_keys = contentsOf(found).map(({ object_key }) => object_key)
  const branch = {
    id: newId(ctx.user_id),
    name,
    rating,
    source_id,
    from_version: version,
    object_keys: JSON.stringify(variantsOf(found.version).map(({ object_key }) => object_key)),
    channel_key,
    found,
    key,
  }
  return keepContents(ctx, { object_keys, asset_id: branch.id }, () =>
    linkToSource(ctx, { source_id, version, object_keys: branch.object_keys }, (link) =>
      insertBranch(ctx, link.isNear ? 'near' : 'far', { ...branch, link }),
    ),
  )
}

/** The asset that a branch is made from, and the version. */
interface FoundSource {
  asset: AssetRow
  version: VersionRow
}

/** The contents of a source: that of the version, and those of its variants. */
function contentsOf({ version }: FoundSource): Pick<VariantRow, 'object_key' | 'size_bytes'>[] {
  return [version, ...variantsOf(version)]
}

/** Reads the version `from_version` of the source; NULL: the latest one that the caller gets. */
const sourceVersion = statement(
  (
    p: Params<'source_id' | 'from_version' | 'channel_key' | 'user_id'>,
  ) => sql<VersionRow>`SELECT ${versionColumns}
    FROM asset_versions WHERE asset_id = ${p.source_id} AND version = coalesce(${p.from_version},
      (SELECT ${ceilingOf(p, channelVersion(p))} FROM game_assets WHERE id = ${p.source_id}))`,
)

const channelWithKey = statement(
  (p: Params<'id' | 'channel_key'>) => sql<ChannelRow>`SELECT * FROM ${channelOf(p)}`,
)

/** SQL: the version of the channel of the source that the key names; NULL: there is none. */
function channelVersion({ source_id, channel_key }: Params<'source_id' | 'channel_key'>): SQL {
  return sql`(SELECT channel_version FROM ${channelOf({ id: source_id, channel_key })})`
}

/** The highest version of a source, as the caller sees it, that the caller may name; undefined: no channel has the key. */
function ceilingIn(
  source: AssetRow,
  channel_key: string | undefined,
  [channel]: ChannelRow[],
): number | undefined {
  return channel_key === undefined ? source.current_version : (channel?.channel_version ?? undefined)
}

/**
 * Finds the version to branch from, and checks that the caller may have one more branch, before a marker or a hint is
 * written for it. Undefined when the caller may read no such version, or when an earlier request has used the key.
 *
 * The reads go through the fence of writes: while a partition moves, they fail as the branch would.
 *
 * @throws DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED, LIMIT_REACHED (assets, all_versions, idempotency_keys), as the batch
 * that writes the branch would; UNAVAILABLE
 */
async function findSource(
  ctx: RequestContext,
  source_id: string,
  { name, from_version, channel_key }: BranchAsset,
  key: IdempotencyKey | undefined,
): Promise<FoundSource | undefined> {
  const { db, databases, config, user_id } = ctx
  const home = databases.of(source_id)
  const ofSource = {
    assets: assetWithId({ id: source_id }),
    versions: sourceVersion({
      source_id,
      from_version: from_version ?? null,
      channel_key: channel_key ?? null,
      user_id,
    }),
    channels: channelWithKey({ id: source_id, channel_key: channel_key ?? null }),
  }
  const ofCaller = {
    names: probeName({ name, user_id }),
    rooms: roomOf({ user_id }),
    keys: probeKey(key, config.MAX_IDEMPOTENCY_KEYS),
  }
  const {
    assets: [asset],
    versions: [version],
    channels,
    names: [name_row],
    rooms: [room],
    keys,
  } = await nearOrFar(db, home, {
    near: (condition) => db.write({ ...ofSource, ...ofCaller }, condition),
    far: async () => {
      const [source, caller] = await Promise.all([home.write(ofSource), db.write(ofCaller)])
      return { ...source, ...caller }
    },
  })
  const source = readable(asset, ctx)
  if (!source || !version || keys[0]?.is_known) return undefined
  if (version.version > (ceilingIn(source, channel_key, channels) ?? 0)) return undefined
  const found = { asset: source, version }
  const error = name_row?.is_taken ? duplicateName() : whyNoRoom(room, contentsOf(found), config)
  if (error) throw error
  return isKnown(keys) ? undefined : found
}

/**
 * Where the statements that write a branch take the source from. `near`: they read the source in their own database. `own`: as
 * `near`, and they accept only content that was uploaded in the caller's partition. `far`: from parameters.
 */
type Origin = 'own' | 'near' | 'far'

interface NewBranch {
  id: string
  name: string
  /** Counts when it is above that of the source. */
  rating: Rating | undefined
  source_id: string
  /** undefined: the latest version that the caller gets. */
  from_version: number | undefined
  /** The contents of the variants that it gets, as a JSON array; null: all. */
  object_keys: string | null
  channel_key: string | undefined
  /** The source, as it was found in another database. */
  found?: FoundSource
  link: BranchLink
  key: IdempotencyKey | undefined
}

/** The values of the source's columns for `far`; nulls for `own` and `near`. */
function valuesOf(found: FoundSource | undefined) {
  const { asset, version } = found ?? {}
  return {
    type: asset?.type ?? null,
    description: asset?.description ?? null,
    tags: asset?.tags ?? null,
    source_rating: asset?.rating ?? null,
    size_bytes: version?.size_bytes ?? null,
    mime_type: version?.mime_type ?? null,
    object_key: version?.object_key ?? null,
    checksum_sha256: version?.checksum_sha256 ?? null,
    platform: version?.platform ?? null,
    variants: version?.variants ?? null,
    min_build: version?.min_build ?? null,
    max_build: version?.max_build ?? null,
  }
}

type BranchParams = Params<
  | 'id'
  | 'version_id'
  | Viewer
  | 'partition'
  | 'name'
  | 'search_name'
  | 'rating'
  | 'now'
  | 'source_id'
  | 'from_version'
  | 'object_keys'
  | 'channel_key'
  | keyof ReturnType<typeof valuesOf>
>

/** SQL: the columns of the asset and the version that a branch takes over. */
function sourceOf(origin: Origin, p: BranchParams) {
  // A source in another database belongs to another user, and a blocked asset of another user is not readable.
  if (origin === 'far') {
    const { type, description, tags, from_version: version } = p
    const { size_bytes, mime_type, object_key, checksum_sha256, min_build, max_build, platform } = p
    const content = { size_bytes, mime_type, object_key, checksum_sha256, min_build, max_build, platform }
    const rating = higher(p.rating, p.source_rating)
    const measures = { blocked: 0 as const, unlisted: sql`0`, rating_locked: null }
    return { type, ...measures, rating, description, tags, version, ...content }
  }
  return {
    type: sql`source.type`,
    blocked: sql`source.blocked`,
    // Of somebody else's asset the listing says nothing about the branch.
    unlisted: sql`source.unlisted AND source.owner_id = ${p.user_id}`,
    rating: higher(p.rating, sql`source.rating`),
    rating_locked: sql`iif(source.owner_id = ${p.user_id}, source.rating_locked, NULL)`,
    description: sql`source.description`,
    tags: sql`source.tags`,
    version: sql`from_version.version`,
    size_bytes: sql`from_version.size_bytes`,
    mime_type: sql`from_version.mime_type`,
    object_key: sql`from_version.object_key`,
    checksum_sha256: sql`from_version.checksum_sha256`,
    min_build: sql`from_version.min_build`,
    max_build: sql`from_version.max_build`,
    platform: sql`from_version.platform`,
  }
}

/** SQL: the higher one of two ratings; the other one when one is null. */
function higher(rating: SQL, source_rating: SQL): SQL {
  const levelOf = (one: SQL) => sql`instr('${sql.raw(ratings.join(' '))}', ${one})`
  return sql`iif(${levelOf(rating)} > ${levelOf(source_rating)}, ${rating}, coalesce(${source_rating}, ${rating}))`
}

/** SQL: the rest of the SELECT that the rows of a branch are inserted from: no row when the asset can't be branched. */
function fromSource(origin: Origin, p: BranchParams) {
  if (origin === 'far')
    return sql`WHERE ${isContentKept(p.object_key, p.partition)} AND NOT EXISTS (SELECT 1 FROM json_each(${p.variants})
      WHERE NOT ${isContentKept(sql`value ->> 'object_key'`, p.partition)})`
  const isOwn = sql`${isOwnContent(sql`from_version.object_key`, p.partition)}
    AND NOT EXISTS (SELECT 1 FROM asset_variants AS variant
      WHERE variant.asset_id = source.id AND variant.version = from_version.version
        AND NOT ${isOwnContent(sql`variant.object_key`, p.partition)})`
  const ceiling = ceilingOf(p, channelVersion(p))
  return sql`FROM game_assets AS source JOIN asset_versions AS from_version ON from_version.asset_id = source.id
      AND from_version.version = coalesce(${p.from_version}, ${ceiling}) AND from_version.version <= ${ceiling}
    WHERE source.id = (SELECT id FROM game_assets WHERE id = ${p.source_id} AND ${isReadable(p)})
      AND ${origin === 'own' ? isOwn : hasVariants({ asset_id: p.source_id, version: p.from_version, object_keys: p.object_keys })}`
}

const branchFrom = perShape((origin: Origin) => ({
  asset: statement((p: BranchParams) => {
    const { type, blocked, unlisted, rating, rating_locked, description, tags } = sourceOf(origin, p)
    const now = createdAt(p.now, p.user_id)
    const branch = {
      id: p.id,
      owner_id: p.user_id,
      type,
      name: p.name,
      search_name: p.search_name,
      visibility: 'private' as const,
      blocked,
      unlisted,
      rating,
      rating_locked,
      // Metadata are the game's own about one asset, so they are not copied; nor are `listed` and the preview.
      description,
      tags,
      branched_from_asset_id: p.source_id,
      created_at: now,
      updated_at: now,
    }
    return insert(gameAssets, branch, fromSource(origin, p))
  }),
  version: statement((p: BranchParams) => {
    const { version, size_bytes, mime_type, object_key, checksum_sha256, min_build, max_build, platform } =
      sourceOf(origin, p)
    const first = {
      id: p.version_id,
      asset_id: p.id,
      version: 1,
      size_bytes,
      mime_type,
      object_key,
      checksum_sha256,
      min_build,
      max_build,
      branched_from_asset_id: p.source_id,
      branched_from_version: version,
      created_at: createdAt(p.now, p.user_id),
      platform,
    }
    return insert(assetVersions, first, fromSource(origin, p))
  }),
}))

const charged = thresholdByCharge(
  (
    p: Params<'version_id' | 'id'>,
  ) => sql`SELECT size_bytes + (SELECT coalesce(sum(variant.size_bytes), 0) FROM asset_variants AS variant
      WHERE variant.asset_id = ${p.id} AND variant.version = 1)
    FROM asset_versions WHERE id = ${p.version_id}`,
)

/**
 * Writes a branch of the caller's in one batch. Returns undefined when it has no source.
 *
 * @throws DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED, LIMIT_REACHED (assets, all_versions, idempotency_keys)
 */
async function insertBranch(
  ctx: RequestContext,
  origin: Origin,
  { link, key, found, from_version, channel_key, rating, ...others }: NewBranch,
): Promise<Branch | undefined> {
  const { db, user_id, hidden_ratings } = ctx
  const branch = {
    ...others,
    rating: rating ?? null,
    ...valuesOf(found),
    from_version: from_version ?? null,
    channel_key: channel_key ?? null,
    version_id: newId(user_id),
    user_id,
    hidden_ratings,
    partition: partitionOf(user_id),
    search_name: searchName(others.name),
    now: seconds(ctx),
  }
  const { asset: insertAsset, version: insertVersion } = branchFrom(origin)
  const {
    versions: [version],
    assets: [asset],
  } = await orDuplicate(
    db.write(
      {
        usage: ensureUsageRow(ctx),
        hint: link.hint,
        branch: insertAsset(branch),
        version: insertVersion(branch),
        variants: origin === 'far' ? insertVariants(branch) : copyVariants(branch),
        versions: versionOf({ asset_id: branch.id, version: 1 }),
        assets: assetWithId(branch),
        events: [...assetCreated(ctx, branch), ...versionAdded(ctx, branch), ...charged(ctx, branch)],
        expired_key: dropExpiredKey(key),
        key: recordAsset(key, branch),
      },
      link.condition,
    ),
  )
  return asset && version && { asset, version }
}

/** Reads a branch of the caller's with its first version. @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND */
async function readBranch(ctx: RequestContext, id: string): Promise<Branch> {
  const asset = await readOwnAsset(ctx, id)
  const [version] = await ctx.db.read(versionOf({ asset_id: id, version: 1 }))
  if (!version) throw new ApiError('VERSION_NOT_FOUND', { detail: 'Version 1 of the branch was deleted.' })
  return { asset, version }
}

/** Why no branch was written, after nothing was; undefined when the reason is gone. */
async function whyNotBranched(
  ctx: RequestContext,
  source_id: string,
  { from_version, channel_key }: BranchAsset,
): Promise<ApiError | undefined> {
  const home = ctx.databases.of(source_id)
  home.usePrimary()
  const {
    assets: [found],
    versions: [version],
    channels,
  } = await home.read({
    assets: assetWithId({ id: source_id }),
    versions: versionOf({ asset_id: source_id, version: from_version ?? 1 }),
    channels: channelWithKey({ id: source_id, channel_key: channel_key ?? null }),
  })
  const source = readable(found, ctx)
  if (!source) return new ApiError('ASSET_NOT_FOUND')
  const latest = ceilingIn(source, channel_key, channels)
  if (latest === undefined) return new ApiError('CHANNEL_NOT_FOUND')
  if (source.current_version === 0)
    return new ApiError('NO_VERSIONS_TO_BRANCH', { detail: 'The asset has no content yet.' })
  if (from_version !== undefined && (!version || from_version > latest))
    return new ApiError('VERSION_NOT_FOUND', { detail: `The latest version is ${latest}.` })
  return undefined
}

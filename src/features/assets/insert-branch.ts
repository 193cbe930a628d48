import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { type Rating, ratings } from '../../platform/db/enumerations.ts'
import { newId, partitionOf } from '../../platform/db/id.ts'
import { dropExpiredKey, type IdempotencyKey } from '../../platform/db/idempotency.ts'
import { assetVersions, gameAssets } from '../../platform/db/schema.ts'
import { insert, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { searchName } from '../../platform/lib/text.ts'
import { thresholdByCharge } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { isReadable, type Viewer } from './access.ts'
import { recordAsset } from './create.ts'
import { assetCreated, versionAdded } from './events.ts'
import type { BranchLink } from './hints.ts'
import { isContentKept, isOwnContent } from './markers.ts'
import { orDuplicate } from './name.ts'
import { type AssetRow, assetWithId, type VersionRow, versionOf } from './row.ts'
import { ceilingOf, channelOf } from './served.ts'
import { copyVariants, hasVariants, insertVariants } from './variants.ts'

/** A new asset with its first version. */
export interface Branch {
  asset: AssetRow
  version: VersionRow
}

/** The asset that a branch is made from, and the version. */
export interface FoundSource {
  asset: AssetRow
  version: VersionRow
}

/** SQL: the version of the channel of the source that the key names; NULL: there is none. */
export function channelVersion({ source_id, channel_key }: Params<'source_id' | 'channel_key'>): SQL {
  return sql`(SELECT channel_version FROM ${channelOf({ id: source_id, channel_key })})`
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
export async function insertBranch(
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

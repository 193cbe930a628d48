import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { dropExpiredKey, recordKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { createdAt } from '../../platform/db/marks.ts'
import { assetVersions, gameAssets } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { searchName } from '../../platform/lib/search-name.ts'
import { quotaUsed } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { isReadable } from './access.ts'
import { assetCreated, versionAdded } from './events.ts'
import type { FoundSource } from './find-source.ts'
import type { BranchLink } from './hints.ts'
import { isContentKept, isOwnContent } from './markers.ts'
import { orDuplicate } from './name.ts'
import { type AssetRow, assetWithId, type VersionRow, versionColumns } from './row.ts'

/** A new asset with its first version. */
export interface Branch {
  asset: AssetRow
  version: VersionRow
}

/**
 * The source of a branch: the values that the new rows take from the asset and its version, as SQL or as values. `from`
 * is the rest of the SELECT that the rows are inserted from: no row when the asset can't be branched.
 */
export interface BranchSource {
  source_id: string | SQL
  type: AssetRow['type'] | SQL
  blocked: 0 | 1 | SQL
  description: string | SQL
  tags: string | SQL
  version: number | SQL
  size_bytes: number | SQL
  mime_type: string | SQL
  object_key: string | SQL
  checksum_sha256: string | null | SQL
  from: SQL
}

/**
 * The source as SQL, for a source in the branch's database: the statements that write the branch read it themselves.
 * Without `from_version` the branch is made from the latest version. `mustBeOwnContent`: no row for content that was
 * uploaded in another partition than the user's.
 */
export function localSource(
  user_id: string,
  source_id: string,
  {
    from_version,
    mustBeOwnContent = false,
  }: { from_version: number | undefined; mustBeOwnContent?: boolean },
): BranchSource {
  return {
    source_id: sql`source.id`,
    type: sql`source.type`,
    blocked: sql`source.blocked`,
    description: sql`source.description`,
    tags: sql`source.tags`,
    version: sql`from_version.version`,
    size_bytes: sql`from_version.size_bytes`,
    mime_type: sql`from_version.mime_type`,
    object_key: sql`from_version.object_key`,
    checksum_sha256: sql`from_version.checksum_sha256`,
    from: sql`FROM game_assets AS source JOIN asset_versions AS from_version
      ON from_version.asset_id = source.id AND from_version.version = coalesce(${from_version ?? null}, source.current_version)
      WHERE source.id = (SELECT id FROM game_assets WHERE id = ${source_id} AND ${isReadable(user_id)})
        AND ${mustBeOwnContent ? isOwnContent(sql`from_version.object_key`, user_id) : sql`1`}`,
  }
}

/** The source as values, for a source in another database. */
export function remoteSource({ asset, version }: FoundSource, user_id: string): BranchSource {
  const { object_key, checksum_sha256 } = version
  return {
    source_id: asset.id,
    type: asset.type,
    // The asset is another user's, and a blocked asset of another user is not readable.
    blocked: 0,
    description: asset.description,
    tags: asset.tags,
    version: version.version,
    size_bytes: version.size_bytes,
    mime_type: version.mime_type,
    object_key,
    checksum_sha256,
    from: sql`WHERE ${isContentKept(object_key, user_id)}`,
  }
}

interface NewBranch {
  source: BranchSource
  link: BranchLink
  key: IdempotencyKey | undefined
}

/**
 * Writes a branch of the caller's in one batch. Returns undefined when `source` selects no row.
 *
 * @throws DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED, LIMIT_REACHED (assets, all_versions, idempotency_keys)
 */
export async function insertBranch(
  ctx: RequestContext,
  id: string,
  name: string,
  { source, link, key }: NewBranch,
): Promise<Branch | undefined> {
  const { db, user_id } = ctx
  const now = createdAt(seconds(ctx), user_id)
  const branch = {
    id,
    owner_id: user_id,
    type: source.type,
    name,
    search_name: searchName(name),
    visibility: 'private' as const,
    blocked: source.blocked,
    // Metadata are the game's own about one asset, so they are not copied; nor are `listed` and the preview.
    description: source.description,
    tags: source.tags,
    branched_from_asset_id: source.source_id,
    created_at: now,
    updated_at: now,
  }
  const firstVersion = {
    id: newId(user_id),
    asset_id: id,
    version: 1,
    size_bytes: source.size_bytes,
    mime_type: source.mime_type,
    object_key: source.object_key,
    checksum_sha256: source.checksum_sha256,
    branched_from_asset_id: source.source_id,
    branched_from_version: source.version,
    created_at: now,
  }
  const {
    versions: [version],
    assets: [asset],
  } = await orDuplicate(
    db.write(
      {
        usage: ensureUsageRow(ctx),
        hint: link.hint,
        branch: insert(gameAssets, branch, source.from),
        versions: sql<VersionRow>`${insert(assetVersions, firstVersion, source.from)} RETURNING ${versionColumns}`,
        assets: assetWithId(id),
        events: [
          ...assetCreated(ctx, sql`id = ${id}`),
          ...versionAdded(ctx, sql`id = ${firstVersion.id}`),
          ...quotaUsed(
            ctx,
            user_id,
            sql`SELECT size_bytes FROM asset_versions WHERE id = ${firstVersion.id}`,
          ),
        ],
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM game_assets WHERE id = ${id}`),
      },
      link.condition,
    ),
  )
  return asset && version && { asset, version }
}

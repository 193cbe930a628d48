import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createIdempotently, dropExpiredKey, type IdempotencyKey, recordKey } from '../db/idempotency.ts'
import { createdAt } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { readOwnAsset } from './create.ts'
import { nameError } from './name-taken.ts'
import { type AssetRow, assetWithId, isReadable, readable } from './record.ts'
import type { BranchAsset } from './schema.ts'
import { searchName } from './search-name.ts'
import { type VersionRow, versionColumns, versionOf } from './version-record.ts'

/** A new asset with the one version that it starts from. */
export interface Branch {
  asset: AssetRow
  version: VersionRow
}

/**
 * Makes a private asset of the caller's out of a version of one that they may read (specification §3.4). Its content
 * is the source's, shared and not copied: the key comes from the source's row in the statement that writes the
 * branch's, so that neither a deletion nor a purge can come between. A blocked asset's owner gets a blocked branch:
 * branching must be no way around a moderator.
 *
 * @throws ASSET_NOT_FOUND, NO_VERSIONS_TO_BRANCH, VERSION_NOT_FOUND, DUPLICATE_ASSET_NAME, QUOTA_EXCEEDED,
 * LIMIT_REACHED (assets, all_versions), IDEMPOTENCY_KEY_REUSED
 */
export async function branchAsset(
  ctx: RequestContext,
  source_id: string,
  { name, from_version }: BranchAsset,
  key?: IdempotencyKey,
): Promise<Branch> {
  const { db, user_id } = ctx
  const [id, version_id, now] = [newId(user_id), newId(user_id), createdAt(seconds(ctx), user_id)]
  const source = sql`FROM game_assets AS source JOIN asset_versions AS from_version
    ON from_version.asset_id = source.id AND from_version.version = coalesce(${from_version ?? null}, source.current_version)
    WHERE source.id = (SELECT id FROM game_assets WHERE id = ${source_id} AND ${isReadable(user_id)})`

  return createIdempotently(db, key, {
    create: async () => {
      const {
        versions: [version],
        assets: [asset],
      } = await db.batch({
        usage: ensureUsageRow(ctx),
        branch: sql`INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, blocked,
            branched_from_asset_id, created_at, updated_at)
          SELECT ${id}, ${user_id}, source.type, ${name}, ${searchName(name)}, 'private', source.blocked,
            source.id, ${now}, ${now}
          ${source}`,
        versions: sql<VersionRow>`INSERT INTO asset_versions (id, asset_id, version, size_bytes, mime_type, object_key,
            branched_from_asset_id, branched_from_version, created_at)
          SELECT ${version_id}, ${id}, 1, from_version.size_bytes, from_version.mime_type, from_version.object_key,
            source.id, from_version.version, ${now}
          ${source}
          RETURNING ${versionColumns}`,
        assets: assetWithId(id),
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM game_assets WHERE id = ${id}`),
      })
      return asset && version && { asset, version }
    },
    replay: async (made_id) => {
      const asset = await readOwnAsset(ctx, made_id)
      const [version] = await db.all(versionOf(made_id, 1))
      if (!version) throw new ApiError('ASSET_NOT_FOUND')
      return { asset, version }
    },
    explain: async () => {
      db.usePrimary()
      const {
        assets: [found],
        versions: [version],
      } = await db.batch({
        assets: assetWithId(source_id),
        versions: versionOf(source_id, from_version ?? 1),
      })
      return branchRefusal(readable(found, user_id), version, from_version) ?? nameError(ctx, name)
    },
  })
}

/** Why an asset can't be branched from that version; undefined when it can. */
function branchRefusal(
  source: AssetRow | undefined,
  version: VersionRow | undefined,
  from_version: number | undefined,
): ApiError | undefined {
  if (!source) return new ApiError('ASSET_NOT_FOUND')
  if (source.current_version === 0)
    return new ApiError('NO_VERSIONS_TO_BRANCH', { detail: 'The asset has no content yet.' })
  if (!version && from_version !== undefined)
    return new ApiError('VERSION_NOT_FOUND', { detail: `The latest version is ${source.current_version}.` })
  return undefined
}

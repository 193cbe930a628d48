import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createIdempotently, dropExpiredKey, type IdempotencyKey, recordKey } from '../db/idempotency.ts'
import { createdAt } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { type AssetRow, isOwnAsset, ownAsset } from './record.ts'
import { type VersionRow, versionColumns, versionOf } from './version-record.ts'

/**
 * Makes an old version's content the newest version: a rollback that loses nothing (decisions, "Game assets"). The
 * content is shared, not copied, and not counted again.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND, LIMIT_REACHED (versions, all_versions), IDEMPOTENCY_KEY_REUSED
 */
export async function rollBack(
  ctx: RequestContext,
  asset_id: string,
  from_version: number,
  key?: IdempotencyKey,
): Promise<VersionRow> {
  const { db, config, user_id } = ctx
  const id = newId(user_id)
  return createIdempotently(db, key, {
    create: async () => {
      const {
        created: [version],
      } = await db.batch({
        usage: ensureUsageRow(ctx),
        created: sql<VersionRow>`INSERT INTO asset_versions (id, asset_id, version, size_bytes, mime_type, object_key, created_at)
          SELECT ${id}, asset.id, asset.current_version + 1, old.size_bytes, old.mime_type, old.object_key,
            ${createdAt(seconds(ctx), user_id)}
          FROM (SELECT id, current_version FROM game_assets WHERE ${isOwnAsset(asset_id, user_id)}) AS asset
          JOIN asset_versions AS old ON old.asset_id = asset.id AND old.version = ${from_version}
          WHERE asset.current_version < ${config.MAX_VERSIONS_PER_ASSET}
          RETURNING ${versionColumns}`,
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM asset_versions WHERE id = ${id}`),
      })
      return version
    },
    replay: async (made_id) => {
      const {
        assets: [asset],
        versions: [version],
      } = await db.batch({
        assets: ownAsset(asset_id, user_id),
        versions: sql<VersionRow>`SELECT ${versionColumns} FROM asset_versions WHERE id = ${made_id}`,
      })
      if (!asset || !version) throw new ApiError('ASSET_NOT_FOUND')
      return version
    },
    explain: async () => {
      const {
        assets: [asset],
        versions: [old],
      } = await db.batch({ assets: ownAsset(asset_id, user_id), versions: versionOf(asset_id, from_version) })
      return !asset
        ? new ApiError('ASSET_NOT_FOUND')
        : !old
          ? new ApiError('VERSION_NOT_FOUND')
          : tooMany(asset, config)
    },
  })
}

/** LIMIT_REACHED when an asset has as many versions as it may; numbers have no gaps, so the last is the count. */
export function tooMany(
  { current_version }: AssetRow,
  { MAX_VERSIONS_PER_ASSET: limit }: RequestContext['config'],
): ApiError | undefined {
  if (current_version < limit) return undefined
  return new ApiError('LIMIT_REACHED', {
    limit: 'versions',
    detail: `This asset has ${limit} versions, as many as it may. Branch it to go on.`,
  })
}

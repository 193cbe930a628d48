import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently, dropExpiredKey, recordKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { createdAt } from '../../platform/db/marks.ts'
import { assetVersions } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { ApiError, limitReached } from '../../platform/errors.ts'
import { writeAsset } from '../catalogue/write.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { isOwnAsset, ownAsset } from './access.ts'
import { versionAdded } from './events.ts'
import { type AssetRow, type VersionRow, versionColumns, versionCount, versionOf } from './row.ts'
import type { RollBack } from './schema.ts'

/**
 * Makes an old version's content the newest version (docs/conformance.md#game-assets). Both versions share the content,
 * which is neither copied nor charged again.
 *
 * @throws ASSET_NOT_FOUND, VERSION_NOT_FOUND, LIMIT_REACHED (versions, all_versions), IDEMPOTENCY_KEY_REUSED
 */
export async function rollBack(
  ctx: RequestContext,
  asset_id: string,
  { from_version, notes }: RollBack,
  key?: IdempotencyKey,
): Promise<VersionRow> {
  const { db, config, user_id } = ctx
  const id = newId(user_id)
  const version = {
    id,
    asset_id: sql`asset.id`,
    version: sql`asset.current_version + 1`,
    size_bytes: sql`old.size_bytes`,
    mime_type: sql`old.mime_type`,
    object_key: sql`old.object_key`,
    checksum_sha256: sql`old.checksum_sha256`,
    notes: notes ?? null,
    created_at: createdAt(seconds(ctx), user_id),
  }
  const source = sql`FROM (SELECT id, current_version, ${versionCount} AS versions FROM game_assets WHERE ${isOwnAsset(asset_id, user_id)}) AS asset
    JOIN asset_versions AS old ON old.asset_id = asset.id AND old.version = ${from_version}
    WHERE asset.versions < ${config.MAX_VERSIONS_PER_ASSET}`

  return createIdempotently(db, key, {
    create: async () => {
      const statements = {
        usage: ensureUsageRow(ctx),
        created: sql<VersionRow>`${insert(assetVersions, version, source)} RETURNING ${versionColumns}`,
        events: versionAdded(ctx, sql`id = ${id}`),
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM asset_versions WHERE id = ${id}`),
      }
      const { created } = await writeAsset(ctx, db, statements, { asset_id })
      return created[0]
    },
    replay: async (made_id) => {
      const {
        assets: [asset],
        versions: [version],
      } = await db.read({
        assets: ownAsset(asset_id, user_id),
        versions: sql<VersionRow>`SELECT ${versionColumns} FROM asset_versions WHERE id = ${made_id}`,
      })
      if (!asset) throw new ApiError('ASSET_NOT_FOUND')
      if (!version) throw new ApiError('VERSION_NOT_FOUND', { detail: 'The new version was deleted.' })
      return version
    },
    explain: async () => {
      const {
        assets: [asset],
        versions: [old],
      } = await db.read({ assets: ownAsset(asset_id, user_id), versions: versionOf(asset_id, from_version) })
      if (!asset) return new ApiError('ASSET_NOT_FOUND')
      if (!old) return new ApiError('VERSION_NOT_FOUND')
      return versionLimitError(asset, config)
    },
  })
}

/** LIMIT_REACHED when an asset has as many versions as it may. */
export function versionLimitError(
  { current_version, deleted_versions }: AssetRow,
  { MAX_VERSIONS_PER_ASSET: limit }: RequestContext['config'],
): ApiError | undefined {
  return current_version - deleted_versions < limit ? undefined : limitReached('versions')
}

import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import {
  createIdempotently,
  dropExpiredKey,
  type IdempotencyKey,
  keyRecorder,
} from '../../platform/db/idempotency.ts'
import { assetVersions } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { writeAsset } from '../catalogue/write.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { isOwnAsset, ownAsset } from './access.ts'
import { versionAdded } from './events.ts'
import { type VersionRow, versionColumns, versionCount, versionLimitError, versionOf } from './row.ts'
import { copyVariants } from './variants.ts'
import type { RollBack } from './version-schema.ts'

type NewVersion = 'version_id' | 'asset_id' | 'user_id' | 'from_version' | 'notes' | 'now' | 'max_versions'

const insertVersion = statement((p: Params<NewVersion>) => {
  const version = {
    id: p.version_id,
    asset_id: sql`asset.id`,
    version: sql`asset.current_version + 1`,
    size_bytes: sql`old.size_bytes`,
    mime_type: sql`old.mime_type`,
    object_key: sql`old.object_key`,
    checksum_sha256: sql`old.checksum_sha256`,
    notes: p.notes,
    min_build: sql`old.min_build`,
    max_build: sql`old.max_build`,
    created_at: createdAt(p.now, p.user_id),
    platform: sql`old.platform`,
  }
  const source = sql`FROM (
      SELECT id, current_version, ${versionCount} AS versions FROM game_assets WHERE ${isOwnAsset(p.asset_id, p.user_id)}
    ) AS asset
    JOIN asset_versions AS old ON old.asset_id = asset.id AND old.version = ${p.from_version}
    WHERE asset.versions < ${p.max_versions}`
  return insert(assetVersions, version, source)
})

const recordVersion = keyRecorder(
  (p: Params<'version_id'>) => sql`SELECT id FROM asset_versions WHERE id = ${p.version_id}`,
)

const versionWithId = statement(
  (p: Params<'id'>) => sql<VersionRow>`SELECT ${versionColumns} FROM asset_versions WHERE id = ${p.id}`,
)

/**
 * Makes an old version's content the newest version, with its variants (docs/conformance.md#game-assets). Both versions share the
 * contents, which are neither copied nor charged again.
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
  const version = {
    version_id: newId(user_id),
    asset_id,
    user_id,
    from_version,
    notes: notes ?? null,
    now: seconds(ctx),
    max_versions: config.MAX_VERSIONS_PER_ASSET,
  }
  const own = ownAsset({ id: asset_id, user_id })
  return createIdempotently(db, key, {
    create: async () => {
      const statements = {
        usage: ensureUsageRow(ctx),
        version: insertVersion(version),
        variants: copyVariants({ ...version, object_keys: null }),
        created: versionWithId({ id: version.version_id }),
        events: versionAdded(ctx, version),
        expired_key: dropExpiredKey(key),
        key: recordVersion(key, version),
      }
      const { created } = await writeAsset(ctx, db, statements, { asset_id })
      return created[0]
    },
    replay: async (made_id) => {
      const {
        assets: [asset],
        versions: [made],
      } = await db.read({ assets: own, versions: versionWithId({ id: made_id }) })
      if (!asset) throw new ApiError('ASSET_NOT_FOUND')
      if (!made) throw new ApiError('VERSION_NOT_FOUND', { detail: 'The new version was deleted.' })
      return made
    },
    explain: async () => {
      const {
        assets: [asset],
        versions: [old],
      } = await db.read({ assets: own, versions: versionOf({ asset_id, version: from_version }) })
      if (!asset) return new ApiError('ASSET_NOT_FOUND')
      if (!old) return new ApiError('VERSION_NOT_FOUND')
      return versionLimitError(asset, config)
    },
  })
}

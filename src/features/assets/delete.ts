import { sql } from 'drizzle-orm'
import { keptUntil, type RequestContext } from '../../platform/context.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { writeAsset } from '../catalogue/write.ts'
import { isOwnAsset } from './access.ts'
import { assetDeleted } from './events.ts'
import { markAssetsPurging, purgeAssetsStep } from './purge.ts'

/**
 * Deletes an asset of the caller's. The asset can be restored for TRASH_RETENTION_DAYS, unless `permanent` is set
 * (docs/conformance.md#3-lifecycles).
 *
 * @throws ASSET_NOT_FOUND
 */
export function deleteAsset(ctx: RequestContext, id: string, { permanent = false } = {}): Promise<void> {
  return permanent ? deletePermanently(ctx, id) : deleteRestorably(ctx, id)
}

async function deleteRestorably(ctx: RequestContext, id: string): Promise<void> {
  const { db, user_id, now_ms } = ctx
  const isOwn = isOwnAsset(id, user_id)
  const statements = {
    events: assetDeleted(ctx, isOwn, false),
    deleted: sql`UPDATE game_assets SET ${assignments(gameAssets, { deleted_at: now_ms })}
      WHERE ${isOwn} RETURNING id`,
  }
  const { deleted } = await writeAsset(ctx, db, statements, { asset_id: id, removes: isOwn })
  if (deleted.length === 0) throw new ApiError('ASSET_NOT_FOUND')
}

/**
 * Deletes an asset permanently, whether it was deleted before or not (docs/conformance.md#game-assets). From then on no
 * answer shows the asset. The first versions are removed at once, the rest by the job. Content that a branch shares
 * stays.
 */
async function deletePermanently(ctx: RequestContext, id: string): Promise<void> {
  const { db, user_id, now_ms } = ctx
  const isOwn = sql`id = ${id} AND owner_id = ${user_id} AND purging = 0 AND ${isNotErased}`
  const statements = { marked: markAssetsPurging(isOwn, now_ms, keptUntil(ctx)) }
  const { marked } = await writeAsset(ctx, db, statements, { asset_id: id, removes: isOwn })
  if (marked.length === 0) throw new ApiError('ASSET_NOT_FOUND')
  await purgeAssetsStep(ctx, sql`id = ${id}`)
}

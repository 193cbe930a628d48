import { sql } from 'drizzle-orm'
import { keptUntil, type RequestContext } from '../../platform/context.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { writeAsset } from '../catalogue/write.ts'
import { isOwnAsset, rejectWrite } from './access.ts'
import { assetDeleted } from './events.ts'
import { markAssetsPurging, purgeAssetsStep } from './purge.ts'

/**
 * Deletes an asset of the caller's. The asset can be restored for TRASH_RETENTION_DAYS, unless `permanent` is set
 * (docs/conformance.md#3-lifecycles).
 *
 * @throws ASSET_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteAsset(
  ctx: RequestContext,
  id: string,
  { permanent = false } = {},
  expected: ExpectedRevisions = null,
): Promise<void> {
  await (permanent ? deletePermanently(ctx, id, expected) : deleteRestorably(ctx, id, expected))
}

function deleteRestorably(ctx: RequestContext, id: string, expected: ExpectedRevisions): Promise<unknown> {
  const { db, user_id, now_ms } = ctx
  const isOwn = isOwnAsset(id, user_id)
  const canDelete = sql`${isOwn} AND ${revisionIn(expected)}`
  const changes = { deleted_at: now_ms, revision: sql`revision + 1` }
  const statements = {
    events: assetDeleted(ctx, canDelete, false),
    deleted: sql`UPDATE game_assets SET ${assignments(gameAssets, changes)} WHERE ${canDelete} RETURNING id`,
  }
  return retryOnConflict(async () => {
    const { deleted } = await writeAsset(ctx, db, statements, { asset_id: id, removes: canDelete })
    return deleted[0] ?? rejectWrite(ctx, isOwn, expected)
  })
}

/**
 * Deletes an asset permanently, whether it was deleted before or not (docs/conformance.md#game-assets). From then on no
 * answer shows the asset. The first versions are removed at once, the rest by the job. Content that a branch shares
 * stays.
 */
async function deletePermanently(
  ctx: RequestContext,
  id: string,
  expected: ExpectedRevisions,
): Promise<void> {
  const { db, user_id, now_ms } = ctx
  const isOwn = sql`id = ${id} AND owner_id = ${user_id} AND purging = 0 AND ${isNotErased}`
  const canDelete = sql`${isOwn} AND ${revisionIn(expected)}`
  const statements = { marked: markAssetsPurging(canDelete, now_ms, keptUntil(ctx)) }
  await retryOnConflict(async () => {
    const { marked } = await writeAsset(ctx, db, statements, { asset_id: id, removes: canDelete })
    return marked[0] ?? rejectWrite(ctx, isOwn, expected)
  })
  await purgeAssetsStep(ctx, sql`id = ${id}`)
}

import { sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { isNotErased } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { purgeAssetsStep, purgingAssets } from './purge.ts'
import { isOwnAsset } from './record.ts'

/**
 * Deletes an asset of the caller's: so that it can be restored, or for good (specification §3.4).
 *
 * @throws ASSET_NOT_FOUND
 */
export function deleteAsset(ctx: RequestContext, id: string, { permanent = false } = {}): Promise<void> {
  return permanent ? deleteForGood(ctx, id) : putAway(ctx, id)
}

async function putAway({ db, user_id, now_ms }: RequestContext, id: string): Promise<void> {
  const [deleted] = await db.all(
    sql`UPDATE game_assets SET deleted_at = ${now_ms} WHERE ${isOwnAsset(id, user_id)} RETURNING id`,
  )
  if (!deleted) throw new ApiError('ASSET_NOT_FOUND')
}

/**
 * For good, deleted before or not (decisions, "Game assets"). It is gone from every answer at once; its first versions
 * are removed right away, the rest by the job. Content that a branch shares stays.
 */
async function deleteForGood({ db, user_id, now_ms }: RequestContext, id: string): Promise<void> {
  const [marked] = await db.all(
    purgingAssets(sql`id = ${id} AND owner_id = ${user_id} AND ${isNotErased}`, now_ms),
  )
  if (!marked) throw new ApiError('ASSET_NOT_FOUND')
  await purgeAssetsStep(db, sql`id = ${id}`)
}

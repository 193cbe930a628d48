import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { erasedUntil } from '../../platform/db/marks.ts'
import { ApiError } from '../../platform/errors.ts'
import { recountLater, recountOf } from './recount-later.ts'
import { isReadableBy } from './row.ts'

/**
 * Takes an asset out of the caller's favorites, also one that the caller may not read any more. An asset that is not among them
 * stays out of them.
 *
 * @throws ASSET_NOT_FOUND when it is not among them, and the caller may not read it
 */
export async function deleteFavorite(ctx: RequestContext, asset_id: string): Promise<void> {
  const { db, user_id } = ctx
  const { before, removed, after } = await db.write({
    before: recountOf(asset_id),
    removed: sql<{ id: string }>`DELETE FROM favorites WHERE user_id = ${user_id} AND asset_id = ${asset_id}
      AND created_at > ${erasedUntil(user_id)} RETURNING id`,
    after: recountOf(asset_id),
  })
  recountLater(ctx, before, after)
  if (removed.length === 0 && !(await isReadableBy(ctx, asset_id))) throw new ApiError('ASSET_NOT_FOUND')
}

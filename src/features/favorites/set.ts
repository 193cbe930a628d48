import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { WriteCondition } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/id.ts'
import { createdAt, erasedUntil } from '../../platform/db/marks.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { favorites } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { nearOrFar } from '../../platform/shards/near.ts'
import { isReadable } from '../assets/access.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { recountLater, recountOf } from './recount-later.ts'
import { isReadableBy, readableAsset } from './row.ts'

/**
 * Adds an asset that the caller may read to the caller's favorites. Adding it again keeps its place.
 *
 * @throws ASSET_NOT_FOUND, LIMIT_REACHED (favorites)
 */
export async function setFavorite(ctx: RequestContext, asset_id: string): Promise<void> {
  const { db, databases } = ctx
  const isFound = await retryOnConflict(() =>
    nearOrFar(db, databases.of(asset_id), {
      near: (condition) => write(ctx, asset_id, condition),
      // A favorite of an asset that has just become private is a legal state, so nothing depends on both databases at once.
      far: async () => (await isReadableBy(ctx, asset_id)) && write(ctx, asset_id),
    }),
  )
  if (!isFound) throw new ApiError('ASSET_NOT_FOUND')
}

/**
 * Writes the favorite in the caller's home. With a condition, the asset is in the same database, and the statement itself
 * requires that the caller may read it. Returns whether the caller may read the asset.
 */
async function write(ctx: RequestContext, asset_id: string, condition?: WriteCondition): Promise<boolean> {
  const { db, user_id } = ctx
  const row = { user_id, asset_id, id: newId(user_id), created_at: createdAt(seconds(ctx), user_id) }
  const asset = condition
    ? sql`FROM game_assets WHERE id = ${asset_id} AND ${isReadable(user_id)}`
    : sql`WHERE true`
  const { before, after, readable } = await db.write(
    {
      usage: ensureUsageRow(ctx),
      before: recountOf(asset_id),
      // A row that is being erased becomes one of the new account.
      added: sql`${insert(favorites, row, asset)} ON CONFLICT (asset_id, user_id) DO UPDATE
        SET id = excluded.id, created_at = excluded.created_at WHERE created_at <= ${erasedUntil(user_id)}`,
      after: recountOf(asset_id),
      readable: condition ? readableAsset(asset_id, user_id) : [],
    },
    condition,
  )
  recountLater(ctx, before, after)
  return condition === undefined || readable.length > 0
}

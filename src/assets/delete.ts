import { sql } from 'drizzle-orm'
import { keptUntil, type RequestContext, seconds } from '../context.ts'
import { unhinted } from '../db/buckets.ts'
import { bucketTextOf } from '../db/id.ts'
import { isNotErased, updatedAt } from '../db/marks.ts'
import { gameAssets } from '../db/schema.ts'
import { assignments } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { isOwnAsset } from './access.ts'
import { hintAtRestoring } from './branch-hints.ts'
import { assetDeleted, assetPublished } from './events.ts'
import { orDuplicate, searchName } from './name.ts'
import { markPurging, purgeAssetsStep } from './purge.ts'
import { type AssetRow, assetColumns, assetWithId } from './record.ts'
import type { RestoreAsset } from './schema.ts'

/**
 * Deletes an asset of the caller's so that it can be restored, or permanently (specification §3.4).
 *
 * @throws ASSET_NOT_FOUND
 */
export function deleteAsset(ctx: RequestContext, id: string, { permanent = false } = {}): Promise<void> {
  return permanent ? deletePermanently(ctx, id) : deleteRestorably(ctx, id)
}

async function deleteRestorably(ctx: RequestContext, id: string): Promise<void> {
  const { db, user_id, now_ms } = ctx
  const isOwn = isOwnAsset(id, user_id)
  const { deleted } = await db.write({
    events: assetDeleted(ctx, isOwn, false),
    deleted: sql`UPDATE game_assets SET ${assignments(gameAssets, { deleted_at: now_ms })}
      WHERE ${isOwn} RETURNING id`,
  })
  if (deleted.length === 0) throw new ApiError('ASSET_NOT_FOUND')
}

/**
 * Deletes an asset permanently, whether it was deleted before or not (decisions, "Game assets"). No answer shows it any
 * more. Its first versions are removed at once, the rest by the job. Content that a branch shares stays.
 */
async function deletePermanently(ctx: RequestContext, id: string): Promise<void> {
  const { db, user_id, now_ms } = ctx
  const isOwn = sql`id = ${id} AND owner_id = ${user_id} AND purging = 0 AND ${isNotErased}`
  const [marked] = await db.write(markPurging(isOwn, now_ms, keptUntil(ctx)))
  if (!marked) throw new ApiError('ASSET_NOT_FOUND')
  await purgeAssetsStep(ctx, sql`id = ${id}`)
}

/**
 * Restores a deleted asset of the caller's, under another name if one is given. An asset that is not deleted stays as it
 * is (decisions, "Game assets").
 *
 * @throws ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (public_assets)
 */
export async function restoreAsset(
  ctx: RequestContext,
  id: string,
  { name }: RestoreAsset,
): Promise<AssetRow> {
  const { db, databases, user_id } = ctx
  const isOwn = sql`owner_id = ${user_id} AND purging = 0 AND ${isNotErased}`
  const rename = name !== undefined && {
    name,
    search_name: searchName(name),
    updated_at: sql`iif(name = ${name}, updated_at, ${updatedAt(seconds(ctx))})`,
  }
  await hintAtRestoring(ctx, id, name)
  const { restored, present } = await orDuplicate(
    db.write({
      unhinted: databases.isOnly ? unhinted(bucketTextOf(user_id)) : [],
      usage: ensureUsageRow(ctx),
      events: assetPublished(
        ctx,
        sql`id = ${id} AND ${isOwn} AND deleted_at IS NOT NULL AND visibility = 'public' AND blocked = 0`,
      ),
      restored: sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, { deleted_at: null, ...rename })}
        WHERE id = ${id} AND ${isOwn} AND deleted_at IS NOT NULL RETURNING ${assetColumns}`,
      present: sql<AssetRow>`${assetWithId(id)} AND ${isOwn}`,
    }),
  )
  const asset = restored[0] ?? present[0]
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}

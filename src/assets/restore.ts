import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { isNotErased, updatedAt } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { orDuplicate } from './name-taken.ts'
import { type AssetRow, assetColumns, assetWithId } from './record.ts'
import type { RestoreAsset } from './schema.ts'
import { searchName } from './search-name.ts'

/**
 * Brings a deleted asset of the caller's back, under another name if one is given; one that is not deleted stays as
 * it is (decisions, "Game assets").
 *
 * @throws ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (public_assets)
 */
export async function restoreAsset(
  ctx: RequestContext,
  id: string,
  { name }: RestoreAsset,
): Promise<AssetRow> {
  const { db, user_id } = ctx
  const own = sql`owner_id = ${user_id} AND purging = 0 AND ${isNotErased}`
  const { restored, present } = await orDuplicate(
    db.batch({
      usage: ensureUsageRow(ctx),
      restored: sql<AssetRow>`UPDATE game_assets SET
          deleted_at = NULL,
          updated_at = iif(coalesce(${name ?? null}, name) = name, updated_at, ${updatedAt(seconds(ctx))}),
          name = coalesce(${name ?? null}, name),
          search_name = coalesce(${name === undefined ? null : searchName(name)}, search_name)
        WHERE id = ${id} AND ${own} AND deleted_at IS NOT NULL RETURNING ${assetColumns}`,
      present: sql<AssetRow>`${assetWithId(id)} AND ${own}`,
    }),
  )
  const asset = restored[0] ?? present[0]
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}

import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { updatedAt } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { orDuplicate } from './name-taken.ts'
import { type AssetRow, assetColumns, isOwnAsset } from './record.ts'
import type { EditAsset } from './schema.ts'
import { searchName } from './search-name.ts'

/**
 * Renames an asset of the caller's, or changes who may see it (specification §4.5).
 *
 * @throws ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (public_assets)
 */
export async function editAsset(
  ctx: RequestContext,
  id: string,
  { name, visibility }: EditAsset,
): Promise<AssetRow> {
  const {
    edited: [asset],
  } = await orDuplicate(
    ctx.db.batch({
      usage: ensureUsageRow(ctx),
      edited: sql<AssetRow>`UPDATE game_assets SET
        name = coalesce(${name ?? null}, name),
        search_name = coalesce(${name === undefined ? null : searchName(name)}, search_name),
        visibility = coalesce(${visibility ?? null}, visibility),
        updated_at = ${updatedAt(seconds(ctx))}
      WHERE ${isOwnAsset(id, ctx.user_id)} RETURNING ${assetColumns}`,
    }),
  )
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}

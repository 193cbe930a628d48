import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { updatedAt } from '../../platform/db/marks.ts'
import { gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { isOwnAsset } from './access.ts'
import { assetPublished } from './events.ts'
import { orDuplicate, searchName } from './name.ts'
import { type AssetRow, assetColumns } from './row.ts'
import type { EditAsset } from './schema.ts'

/**
 * Renames an asset of the caller's, or changes who may see it (docs/conformance.md#45-game-assets).
 *
 * @throws ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (public_assets)
 */
export async function editAsset(
  ctx: RequestContext,
  id: string,
  { name, visibility }: EditAsset,
): Promise<AssetRow> {
  const search_name = name === undefined ? undefined : searchName(name)
  const isOwn = isOwnAsset(id, ctx.user_id)
  const changes = { name, search_name, visibility, updated_at: updatedAt(seconds(ctx)) }
  const {
    edited: [asset],
  } = await orDuplicate(
    ctx.db.write({
      usage: ensureUsageRow(ctx),
      events:
        visibility === 'public'
          ? assetPublished(ctx, sql`${isOwn} AND visibility = 'private' AND blocked = 0`)
          : [],
      edited: sql<AssetRow>`UPDATE game_assets SET ${assignments(gameAssets, changes)}
        WHERE ${isOwn} RETURNING ${assetColumns}`,
    }),
  )
  if (!asset) throw new ApiError('ASSET_NOT_FOUND')
  return asset
}

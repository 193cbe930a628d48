import { sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import type { Page } from '../db/keyset.ts'
import { erasedUntil } from '../db/marks.ts'
import { newestPage } from './newest.ts'
import type { AssetRow } from './record.ts'
import type { ListAssets } from './schema.ts'

/** A page of the caller's assets, or of the deleted ones, newest first (specification §4.5). @throws INVALID_CURSOR */
export function listAssets(
  ctx: RequestContext,
  { type, deleted, limit, cursor }: ListAssets,
): Promise<Page<AssetRow>> {
  const { user_id } = ctx
  const [index, condition] = deleted
    ? [
        'game_assets_deleted',
        sql`owner_id = ${user_id} AND deleted_at IS NOT NULL AND purging = 0 AND created_at > ${erasedUntil(user_id)}`,
      ]
    : [
        'game_assets_own',
        sql`owner_id = ${user_id} AND deleted_at IS NULL AND created_at > ${erasedUntil(user_id)}`,
      ]
  return newestPage(ctx, ['assets', type, deleted], { index, condition, type, limit, cursor })
}

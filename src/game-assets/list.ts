import sql from 'sql-template-tag'
import { byId, type Page, pageOf } from '../http/cursor.ts'
import type { Work } from '../work.ts'
import { newest, positionAfter } from './newest.ts'
import type { AssetRow } from './record.ts'
import type { ListAssets } from './schema.ts'

/** A page of the caller's assets, or of the deleted ones, newest first (specification §4.5). @throws INVALID_CURSOR */
export async function listAssets(
  { db, user_id }: Work,
  { type, deleted, limit, cursor }: ListAssets,
): Promise<Page<AssetRow>> {
  const list = ['assets', type, deleted]
  const [index, condition] = deleted
    ? ['game_assets_deleted', sql`owner_id = ${user_id} AND deleted_at IS NOT NULL AND purging = 0`]
    : ['game_assets_own', sql`owner_id = ${user_id} AND deleted_at IS NULL`]
  const after = positionAfter(cursor, list)
  return pageOf(list, await db.all<AssetRow>(newest({ index, condition, type, limit, after })), limit, byId)
}

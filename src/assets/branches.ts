import { sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { byId, type Page, type PageRequest, pageOf } from '../db/keyset.ts'
import { ApiError } from '../errors.ts'
import { type ListedAsset, listedColumns, positionAfter, withoutErased } from './newest.ts'
import { type AssetRow, assetWithId, readable } from './record.ts'

/**
 * A page of the assets that were branched from one that the caller may read, newest first: those that everybody may
 * see, and the caller's own. A merge of two indexes, so other people's private branches cost nothing.
 *
 * @throws ASSET_NOT_FOUND, INVALID_CURSOR
 */
export async function listBranches(
  { db, user_id }: RequestContext,
  id: string,
  { limit, cursor }: PageRequest,
): Promise<Page<AssetRow>> {
  const list = ['branches', id]
  const after = positionAfter(cursor, list)
  const beyond = after === undefined ? sql.empty() : sql`AND id < ${after}`
  db.usePrimary()
  const {
    sources: [source],
    branches,
  } = await db.batch({
    sources: assetWithId(id),
    branches: sql<ListedAsset>`SELECT ${listedColumns} FROM game_assets INDEXED BY branches_listed
        WHERE branched_from_asset_id = ${id} AND is_listed = 1 ${beyond}
      UNION ALL
      SELECT ${listedColumns} FROM game_assets INDEXED BY branches_unlisted
        WHERE branched_from_asset_id = ${id} AND is_listed = 0 AND deleted_at IS NULL AND owner_id = ${user_id} ${beyond}
      ORDER BY id DESC LIMIT ${limit + 1}`,
  })
  if (!readable(source, user_id)) throw new ApiError('ASSET_NOT_FOUND')
  return withoutErased(pageOf(list, branches, limit, byId))
}

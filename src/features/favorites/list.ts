import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { byId, type Page, type PageRequest, pageOf } from '../../platform/db/keyset.ts'
import { erasedUntil } from '../../platform/db/marks.ts'
import type { favorites } from '../../platform/db/schema.ts'
import { keptStatements, type Prepared } from '../../platform/db/sql.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { isReadable } from '../assets/access.ts'
import { beyond, positionAfter } from '../assets/list.ts'
import { type AssetSummaryRow, summaryColumns } from '../assets/row.ts'

type FavoriteRow = Pick<typeof favorites.$inferSelect, 'id' | 'asset_id'>

const keptPage = keptStatements<FavoriteRow>()
const keptAssets = keptStatements<AssetSummaryRow>()

/**
 * Lists the caller's favorites, the last added first, without those that the caller may not read any more. The primaries of the
 * assets' homes decide. A page may be shorter than its limit.
 *
 * @throws INVALID_CURSOR
 */
export async function listFavorites(
  { db, databases, user_id }: RequestContext,
  { limit, cursor }: PageRequest,
): Promise<Page<AssetSummaryRow>> {
  const list = ['favorites']
  const rows = await db.read(newestFavorites(user_id, positionAfter(cursor, list), limit))
  const page = pageOf(list, rows, limit, byId)
  if (page.rows.length === 0) return { rows: [], next_cursor: null }
  const wanted = page.rows.map(({ asset_id }) => ({ id: asset_id }))
  const found = await readByIds(databases, wanted, (some) => readableAssets(some, user_id))
  const byAsset = new Map(found.map((asset) => [asset.id, asset]))
  return { ...page, rows: page.rows.flatMap(({ asset_id }) => byAsset.get(asset_id) ?? []) }
}

/** The statement that reads a page of the user's favorites, and one row more. */
function newestFavorites(user_id: string, after: string | null, limit: number): Prepared<FavoriteRow> {
  return keptPage(
    'page',
    (slot) => sql`SELECT id, asset_id FROM favorites INDEXED BY favorites_newest
      WHERE user_id = ${slot('user_id')} AND created_at > ${erasedUntil(slot('user_id'))} ${beyond(after === null, slot('after'))}
      ORDER BY id DESC LIMIT ${slot('limit')}`,
    { user_id, after: after ?? undefined, limit: limit + 1 },
  )
}

/** The statement that reads those of some assets which the user may read. */
function readableAssets(wanted: readonly { id: string }[], user_id: string): Prepared<AssetSummaryRow> {
  return keptAssets(
    'assets',
    (slot) => sql`SELECT ${summaryColumns} FROM game_assets
      WHERE id IN (SELECT value FROM json_each(${slot('ids')})) AND ${isReadable(slot('user_id'))}`,
    { ids: JSON.stringify(wanted.map(({ id }) => id)), user_id },
  )
}

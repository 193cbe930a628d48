import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { byId, isText, type Page, type PageRequest, pageOf, positionAt } from '../../platform/db/keyset.ts'
import type { favorites } from '../../platform/db/schema.ts'
import { idsIn, type Params, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { isReadable, readable, type Viewer } from '../assets/access.ts'
import { type AssetSummaryRow, summaryColumns } from '../assets/row.ts'

type FavoriteRow = Pick<typeof favorites.$inferSelect, 'id' | 'asset_id'>

const newestFavorites = statement(
  (p: Params<'user_id' | 'after' | 'limit'>) =>
    sql<FavoriteRow>`SELECT id, asset_id FROM favorites INDEXED BY favorites_newest
      WHERE user_id = ${p.user_id} AND created_at > ${erasedUntil(p.user_id)} AND id < ${p.after}
      ORDER BY id DESC LIMIT ${p.limit}`,
)

/** Text that is greater than every id. */
const AFTER_ALL = '~'

const readableAssets = statement(
  (p: Params<'ids' | Viewer>) =>
    sql<AssetSummaryRow>`SELECT ${summaryColumns} FROM game_assets
      WHERE id IN (${idsIn(p.ids)}) AND ${isReadable(p)}`,
)

/**
 * Lists the caller's favorites, the last added first, without those that the caller may not read any more. The primaries of the
 * assets' homes decide. A page may be shorter than its limit.
 *
 * @throws INVALID_CURSOR
 */
export async function listFavorites(
  ctx: RequestContext,
  { limit, cursor }: PageRequest,
): Promise<Page<AssetSummaryRow>> {
  const { db, databases, user_id, hidden_ratings } = ctx
  const list = ['favorites']
  const after = positionAt(cursor, list, isText)?.id ?? AFTER_ALL
  const rows = await db.read(newestFavorites({ user_id, after, limit: limit + 1 }))
  const page = pageOf(list, rows, limit, byId)
  if (page.rows.length === 0) return { rows: [], next_cursor: null }
  const wanted = page.rows.map(({ asset_id }) => ({ id: asset_id }))
  const found = await readByIds(databases, wanted, (some) =>
    readableAssets({ ids: JSON.stringify(some.map(({ id }) => id)), user_id, hidden_ratings }),
  )
  const byAsset = new Map(found.map((asset) => [asset.id, asset]))
  return { ...page, rows: page.rows.flatMap(({ asset_id }) => readable(byAsset.get(asset_id), ctx) ?? []) }
}

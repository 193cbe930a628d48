import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { byId, isText, type Page, type PageRequest, pageOf, positionAt } from '../db/keyset.ts'
import { erasedUntil, isNotErased } from '../db/marks.ts'
import { type GameAssetType, gameAssetTypes } from '../db/schema.ts'
import { joined, keptStatements } from '../db/sql.ts'
import { type AssetRow, assetColumns } from './record.ts'
import type { ListAssets } from './schema.ts'

/** An index of assets that ends in type and id, and the condition on its first columns, with placeholders for values. */
interface AssetIndex {
  name: string
  condition: SQL
}

const user_id = sql`${sql.placeholder('user_id')}`

const own: AssetIndex = {
  name: 'game_assets_own',
  condition: sql`owner_id = ${user_id} AND deleted_at IS NULL AND created_at > ${erasedUntil(user_id)}`,
}

const ownDeleted: AssetIndex = {
  name: 'game_assets_deleted',
  condition: sql`owner_id = ${user_id} AND deleted_at IS NOT NULL AND purging = 0 AND created_at > ${erasedUntil(user_id)}`,
}

/** Lists the caller's assets, or the deleted ones, newest first (specification §4.5). @throws INVALID_CURSOR */
export function listAssets(
  { db, user_id }: RequestContext,
  { type, deleted, limit, cursor }: ListAssets,
): Promise<Page<AssetRow>> {
  const list = ['assets', type, deleted]
  return newestPage(db, { list, index: deleted ? ownDeleted : own, values: { user_id }, type, limit, cursor })
}

/** A row of a list, and whether it has been erased with its owner. */
export type ListedAsset = AssetRow & { is_erased: 0 | 1 }

/** SQL: the columns of a ListedAsset. */
export const listedColumns = sql`${assetColumns}, NOT ${isNotErased} AS is_erased`

interface Newest extends PageRequest {
  /** What names the list in its cursors. */
  list: readonly unknown[]
  index: AssetIndex
  /** The values of the placeholders in the index's condition. */
  values: Record<string, string>
  /** undefined: assets of all types. */
  type: GameAssetType | undefined
}

const keptPage = keptStatements<ListedAsset>()

/**
 * A page of the assets that an index holds, newest first. Ids sort by time and the index ends in type and id, so a page
 * of all types is a merge of one SELECT a type, which reads one row ahead in each.
 *
 * @throws INVALID_CURSOR
 */
export async function newestPage(
  db: RequestContext['db'],
  { list, index, values, type, limit, cursor }: Newest,
): Promise<Page<AssetRow>> {
  const after = positionAfter(cursor, list)
  const ofType = (one: GameAssetType) =>
    sql`SELECT ${listedColumns} FROM game_assets INDEXED BY ${sql.raw(index.name)}
      WHERE ${index.condition} AND type = ${one} ${beyond(after)}`
  const page = keptPage(
    [index.name, type].join(' '),
    () => sql`${joined((type ? [type] : gameAssetTypes).map(ofType), ' UNION ALL ')}
      ORDER BY id DESC LIMIT ${sql.placeholder('limit')}`,
    { ...values, after, limit: limit + 1 },
  )
  return withoutErased(pageOf(list, await db.read(page), limit, byId))
}

/** SQL: the rest of a condition for what follows the id `after` in a list. `after` is a placeholder. */
export function beyond(after: string | undefined): SQL {
  return after === undefined ? sql.empty() : sql`AND id < ${sql.placeholder('after')}`
}

/** The page without erased assets. It may be shorter than asked for: filling it would cost what the job has left to do. */
export function withoutErased({ rows, next_cursor }: Page<ListedAsset>): Page<AssetRow> {
  return { rows: rows.filter(({ is_erased }) => !is_erased), next_cursor }
}

/** The id after which the page begins; undefined for the first page. @throws INVALID_CURSOR */
export function positionAfter(cursor: string | undefined, list: readonly unknown[]): string | undefined {
  return positionAt(cursor, list, isText)?.id
}

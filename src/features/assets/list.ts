import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { type GameAssetType, gameAssetTypes } from '../../platform/db/enumerations.ts'
import { byId, isText, type Page, pageOf, positionAt, positionedPage } from '../../platform/db/keyset.ts'
import { erasedUntil, isNotErased } from '../../platform/db/marks.ts'
import { joined, keptStatements, type Prepared } from '../../platform/db/sql.ts'
import { mergedPage, type Window } from '../../platform/shards/windows.ts'
import { type AssetSummaryRow, summaryColumns } from './row.ts'
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

/**
 * Lists the caller's assets, or those that can be restored, newest first (docs/conformance.md#45-game-assets).
 *
 * @throws INVALID_CURSOR
 */
export async function listAssets(
  { db, user_id }: RequestContext,
  { type, deleted, limit, cursor }: ListAssets,
): Promise<Page<AssetSummaryRow>> {
  const list = ['assets', type, deleted]
  const after = positionAfter(cursor, list)
  const page = newestAssets(deleted ? ownDeleted : own, { user_id }, { type, after, limit })
  return withoutErased(pageOf(list, await db.read(page), limit, byId))
}

/** A row of a list, and whether it has been erased with its owner. */
export type ListedAsset = AssetSummaryRow & { is_erased: 0 | 1 }

/** SQL: the columns of a ListedAsset. */
export const listedColumns = sql`${summaryColumns}, NOT ${isNotErased} AS is_erased`

interface Newest {
  /** undefined: assets of all types. */
  type: GameAssetType | undefined
  /** The id after which the page begins; undefined: the first page. */
  after: string | undefined
  limit: number
}

const keptPage = keptStatements<ListedAsset>()

/**
 * The statement that reads a page of the assets in an index, newest first, and one row more: the row shows that there is a
 * next page. `values` fill the placeholders in the index's condition. Ids sort by time and the index ends in type and id,
 * so a page of all types is a merge of one SELECT for each type, and reads one row ahead in each.
 */
function newestAssets(
  index: AssetIndex,
  values: Record<string, string>,
  { type, after, limit }: Newest,
): Prepared<ListedAsset> {
  const ofType = (one: GameAssetType) =>
    sql`SELECT ${listedColumns} FROM game_assets INDEXED BY ${sql.raw(index.name)}
      WHERE ${index.condition} AND type = ${one} ${beyond(after)}`
  return keptPage(
    [index.name, type].join(' '),
    () => sql`${joined((type ? [type] : gameAssetTypes).map(ofType), ' UNION ALL ')}
      ORDER BY id DESC LIMIT ${sql.placeholder('limit')}`,
    { ...values, after, limit: limit + 1 },
  )
}

/** One page out of the windows of several databases, newest first, without erased assets. */
export function mergedAssets(
  list: readonly unknown[],
  windows: Window<ListedAsset>[],
  limit: number,
): Page<AssetSummaryRow> {
  const { rows, last } = mergedPage(windows, limit)
  return withoutErased(positionedPage(list, rows, last && { key: byId(), id: last.id }))
}

/** SQL: a further condition, `AND …`, that selects the rows after the id `after` in a list. The statement has to bind `after`. */
export function beyond(after: string | undefined): SQL {
  return after === undefined ? sql.empty() : sql`AND id < ${sql.placeholder('after')}`
}

/**
 * The page without erased assets. The page may be shorter than its limit: to fill it would cost as many rows as the job has
 * still to remove.
 */
function withoutErased({ rows, next_cursor }: Page<ListedAsset>): Page<AssetSummaryRow> {
  return { rows: rows.filter(({ is_erased }) => !is_erased), next_cursor }
}

/** The id after which the page begins; undefined for the first page. @throws INVALID_CURSOR */
export function positionAfter(cursor: string | undefined, list: readonly unknown[]): string | undefined {
  return positionAt(cursor, list, isText)?.id
}

import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { byId, isText, type Page, pageOf, positionAt } from '../db/keyset.ts'
import { isNotErased } from '../db/marks.ts'
import { type GameAssetType, gameAssetTypes } from '../db/schema.ts'
import { joined } from '../db/sql.ts'
import { type AssetRow, assetColumns } from './record.ts'

interface Newest {
  /** An index that holds `condition` as its prefix, then type and id. */
  index: string
  /** What the rows have in common, as the index wants it. */
  condition: SQL
  /** Only this type; all of them when undefined. */
  type: GameAssetType | undefined
  limit: number
  cursor: string | undefined
}

/**
 * A page of assets, newest first, of the list that `list` names. Ids sort by time, so an index that ends in type and
 * id holds each type in order: all types are a merge of the three, which reads one row ahead in each.
 *
 * @throws INVALID_CURSOR
 */
export async function newestPage(
  { db }: RequestContext,
  list: readonly unknown[],
  { index, condition, type, limit, cursor }: Newest,
): Promise<Page<AssetRow>> {
  const after = positionAfter(cursor, list)
  const beyond = after === undefined ? sql.empty() : sql`AND id < ${after}`
  const ofType = (one: GameAssetType) =>
    sql`SELECT ${listedColumns} FROM game_assets INDEXED BY ${sql.raw(index)}
      WHERE ${condition} AND type = ${one} ${beyond}`
  const rows = await db.all<ListedAsset>(
    sql`${joined((type ? [type] : gameAssetTypes).map(ofType), ' UNION ALL ')}
      ORDER BY id DESC LIMIT ${limit + 1}`,
  )
  return withoutErased(pageOf(list, rows, limit, byId))
}

/** A row of a list that others' assets are in, with whether it has been erased with its owner. */
export type ListedAsset = AssetRow & { erased: 0 | 1 }

export const listedColumns = sql`${assetColumns}, NOT ${isNotErased} AS erased`

/** The page without what has been erased: shorter, so that a page costs the same however much the job has left to do. */
export function withoutErased({ rows, next_cursor }: Page<ListedAsset>): Page<AssetRow> {
  return { rows: rows.filter(({ erased }) => !erased), next_cursor }
}

/** The id after which a list goes on. @throws INVALID_CURSOR */
export function positionAfter(cursor: string | undefined, list: readonly unknown[]): string | undefined {
  return cursor === undefined ? undefined : positionAt(cursor, list, isText).id
}

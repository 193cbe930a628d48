import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import { byId, isText, type Page, pageOf, positionAt } from '../http/cursor.ts'
import type { Work } from '../work.ts'
import { type AssetRow, assetColumns } from './record.ts'
import { type GameAssetType, gameAssetTypes } from './schema.ts'

interface Newest {
  /** An index that holds `condition` as its prefix, then type and id. */
  index: string
  /** What the rows have in common, as the index wants it. */
  condition: Sql
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
  { db }: Work,
  list: readonly unknown[],
  { index, condition, type, limit, cursor }: Newest,
): Promise<Page<AssetRow>> {
  const after = positionAfter(cursor, list)
  const beyond = after === undefined ? empty : sql`AND id < ${after}`
  const ofType = (one: GameAssetType) =>
    sql`SELECT ${assetColumns} FROM game_assets INDEXED BY ${raw(index)}
      WHERE ${condition} AND type = ${one} ${beyond}`
  const rows = await db.all<AssetRow>(
    sql`${join((type ? [type] : gameAssetTypes).map(ofType), ' UNION ALL ')}
      ORDER BY id DESC LIMIT ${limit + 1}`,
  )
  return pageOf(list, rows, limit, byId)
}

/** The id after which a list goes on. @throws INVALID_CURSOR */
export function positionAfter(cursor: string | undefined, list: readonly unknown[]): string | undefined {
  return cursor === undefined ? undefined : positionAt(cursor, list, isText).id
}

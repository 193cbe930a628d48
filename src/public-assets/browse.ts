import sql, { empty } from 'sql-template-tag'
import { newestPage, positionAfter } from '../game-assets/newest.ts'
import { type AssetRow, assetColumns } from '../game-assets/record.ts'
import { searchName } from '../game-assets/search-name.ts'
import { isWholeNumber, type Page, pageOf, positionAt } from '../http/cursor.ts'
import type { Work } from '../work.ts'
import type { BrowseAssets } from './schema.ts'

/** The table of names holds trigrams, so that what is shorter is looked up by how names begin. */
const TRIGRAM = 3

/**
 * A page of public assets, newest first (decisions, "Game assets"): all of them, those whose name contains `q`, or,
 * when that is shorter than three characters, those whose name begins with it.
 *
 * @throws INVALID_CURSOR
 */
export async function browseAssets(work: Work, query: BrowseAssets): Promise<Page<AssetRow>> {
  work.db.onPrimary()
  const { type, q, limit, cursor } = query
  const page = { type, limit, cursor }
  if (q === undefined)
    return newestPage(work, ['public', type], {
      ...page,
      index: 'game_assets_listed',
      condition: sql`listed = 1`,
    })

  const text = searchName(q)
  const { length } = [...text]
  if (length === 0 || text.includes('\u0000')) return nothing(query)
  if (length >= TRIGRAM) return containing(work, query, text)
  const [index, beginning] =
    length === 1
      ? ['game_assets_by_initial', sql`substr(search_name, 1, 1) = ${text}`]
      : ['game_assets_by_two_initials', sql`substr(search_name, 1, 2) = ${text}`]
  const condition = sql`listed = 1 AND ${beginning}`
  return newestPage(work, ['beginning', text, type], { ...page, index, condition })
}

/** No name is empty or holds a NUL. No page of such a search ever gave out a cursor. */
function nothing({ cursor }: BrowseAssets): Page<AssetRow> {
  positionAfter(cursor, ['nothing'])
  return { rows: [], next_cursor: null }
}

/**
 * In the order of creation, which is that of the table of names, so that a page costs what it holds. D1 binds numbers
 * as REAL, and FTS5 goes straight to a row for an INTEGER only.
 */
async function containing(
  { db }: Work,
  { type, limit, cursor }: BrowseAssets,
  text: string,
): Promise<Page<AssetRow>> {
  const list = ['containing', text, type]
  const after = cursor === undefined ? undefined : positionAt(cursor, list, isWholeNumber)
  const match = `search_name : ${phrase(text)}${type ? ` AND type : ${phrase(type)}` : ''}`
  const rows = await db.all<AssetRow & { number: number }>(
    sql`SELECT ${assetColumns}, number
      FROM (SELECT rowid AS found FROM listed_names WHERE listed_names MATCH ${match}
        ${after ? sql`AND rowid < CAST(${after.key} AS INTEGER)` : empty} ORDER BY rowid DESC LIMIT ${limit + 1})
      CROSS JOIN game_assets ON number = found
      ORDER BY found DESC`,
  )
  return pageOf(list, rows, limit, (last) => last.number)
}

/** A phrase of an FTS5 query: taken literally, whatever is in it. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

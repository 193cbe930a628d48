import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { isId, MOST_SPILL, rowidOf } from '../../platform/db/id.ts'
import { type Page, positionAt, positionedPage } from '../../platform/db/keyset.ts'
import { keptStatements } from '../../platform/db/sql.ts'
import { pageOver } from '../../platform/shards/pages.ts'
import { mergedPage } from '../../platform/shards/windows.ts'
import {
  type AssetIndex,
  beyond,
  type ListedAsset,
  listedColumns,
  mergedAssets,
  newestAssets,
  positionAfter,
  withoutErased,
} from './list.ts'
import { searchName } from './name.ts'
import type { AssetSummaryRow } from './row.ts'
import type { BrowseAssets } from './schema.ts'

/** The length of the shortest text that the index of trigrams can look up. */
const TRIGRAM = 3

/** The number of names that one page compares in each database. A page that finds too few among them is short, and its cursor continues. */
const WINDOW = 1_000

/** The most trigrams of a text that are compared for rarity, each by the age of its SAMPLE-th newest name. */
const MAX_TRIGRAMS = 8
const SAMPLE = 64

const listed = { name: 'game_assets_listed', condition: sql`is_listed = 1` }

/** The indexes over the beginnings of names, by the length of the text. */
const byBeginning = [
  { length: 1, name: 'game_assets_by_initial' },
  { length: 2, name: 'game_assets_by_two_initials' },
].map(({ length, name }) => ({
  length,
  name,
  condition: sql`is_listed = 1 AND substr(search_name, 1, ${sql.raw(String(length))}) = ${sql.placeholder('text')}`,
}))

/**
 * Lists public assets, newest first (docs/conformance.md#game-assets): all of them, those whose name contains `q`, or,
 * when `q` is shorter than three characters, those whose name begins with `q`. Asks every database.
 *
 * @throws INVALID_CURSOR
 */
export async function browseAssets(
  { databases }: RequestContext,
  query: BrowseAssets,
): Promise<Page<AssetSummaryRow>> {
  const { type, q, limit, cursor } = query
  const pageOf = async (list: readonly unknown[], index: AssetIndex, values: Record<string, string>) => {
    const after = positionAfter(cursor, list)
    const hasMore = (rows: unknown[]) => rows.length > limit
    const windows = await pageOver(databases, {
      page: newestAssets(index, values, { type, after, limit }),
      hasMore,
    })
    return mergedAssets(list, windows, limit)
  }
  if (q === undefined) return pageOf(['public', type], listed, {})

  const text = searchName(q)
  const { length } = [...text]
  if (length === 0 || text.includes('\u0000')) return emptyPage(cursor)
  const index = byBeginning.find((one) => one.length === length)
  if (index) return pageOf(['beginning', text, type], index, { text })
  return searchAssets(databases, query, text)
}

/** The page of a text that is in no name: no name is empty or contains NUL. There is no next page, so any cursor is invalid. */
function emptyPage(cursor: string | undefined): Page<AssetSummaryRow> {
  positionAfter(cursor, ['nothing'])
  return { rows: [], next_cursor: null }
}

interface Candidate extends ListedAsset {
  /** 1: the name contains the text. 0: the row is only the last one that the page has compared. */
  is_found: 0 | 1
}

const keptSearch = keptStatements<Candidate>()

/**
 * A page of the public assets whose name contains `text`, newest first. A name that contains the text has each of its
 * trigrams. The page therefore compares the names that have the rarest of these trigrams, up to WINDOW of them, so its
 * cost is bounded whatever names exist. CROSS JOIN makes SQLite keep their order. SQLite evaluates the second arm, which
 * selects the last name that was compared, only when the first has not filled the page.
 */
async function searchAssets(
  databases: RequestContext['databases'],
  { type, limit, cursor }: BrowseAssets,
  text: string,
): Promise<Page<AssetSummaryRow>> {
  const list = ['containing', text, type]
  const after = positionAt(cursor, list, isId)?.key
  const trigrams = trigramsOf(text)
  const [only] = trigrams.length === 1 ? trigrams : []
  const isFirst = after === undefined
  const candidates = sql`SELECT rowid AS candidate FROM public_names
    WHERE public_names MATCH (SELECT trigram FROM chosen) ${upTo(isFirst)} ORDER BY rowid DESC`
  const statement = keptSearch(
    `search ${type}`,
    () => sql`WITH chosen (trigram, sampled) AS MATERIALIZED (${only === undefined ? rarestTrigram(isFirst) : sql`SELECT ${sql.placeholder('trigram')}, 0`})
      SELECT ${listedColumns}, 1 AS is_found
      FROM (${candidates} LIMIT ${WINDOW}) CROSS JOIN game_assets ON number = candidate
      WHERE instr(search_name, ${sql.placeholder('text')}) > 0 ${type ? sql`AND type = ${type}` : sql.empty()} ${beyond(after)}
      UNION ALL
      SELECT ${listedColumns}, 0
      FROM (${candidates} LIMIT 1 OFFSET ${WINDOW - 1}) CROSS JOIN game_assets ON number = candidate
      LIMIT ${sql.placeholder('limit')}`,
    {
      text,
      trigram: only && phrase(only),
      trigrams: JSON.stringify(trigrams.map(phrase)),
      after,
      last: after && rowidOf(after),
      limit: limit + 1,
    },
  )
  const windows = await pageOver(databases, {
    page: statement,
    hasMore: (rows) => rows.length > limit || rows.at(-1)?.is_found === 0,
  })
  const found = windows.map(({ rows, reached }) => ({
    rows: rows.filter(({ is_found }) => is_found === 1),
    reached,
  }))
  const { rows, last } = mergedPage(found, limit)
  return withoutErased(positionedPage(list, rows, last && { key: last.id, id: '' }))
}

/** SQL: a SELECT of the trigram whose SAMPLE-th newest name is the oldest; a trigram with fewer names counts as older. */
function rarestTrigram(isFirst: boolean): SQL {
  // min() picks the row of the other columns, too (SQLite, "Bare columns in an aggregate query").
  return sql`SELECT value, min(coalesce((SELECT rowid FROM public_names
      WHERE public_names MATCH value ${upTo(isFirst)} ORDER BY rowid DESC LIMIT 1 OFFSET ${SAMPLE}), 0))
    FROM json_each(${sql.placeholder('trigrams')})`
}

/** SQL: a further condition, `AND …`, on where a page begins. The CAST is needed: D1 binds numbers as REAL, and FTS5 seeks by INTEGER. */
function upTo(isFirst: boolean): SQL {
  return isFirst
    ? sql.empty()
    : sql`AND rowid <= CAST(${sql.placeholder('last')} AS INTEGER) + ${sql.raw(String(MOST_SPILL))}`
}

/** The distinct trigrams of a text: all of them, or MAX_TRIGRAMS spread from its beginning to its end. */
function trigramsOf(text: string): string[] {
  const letters = [...text]
  const all = letters.slice(TRIGRAM - 1).map((_, at) => letters.slice(at, at + TRIGRAM).join(''))
  const distinct = [...new Set(all)]
  const step = Math.max(1, (distinct.length - 1) / (MAX_TRIGRAMS - 1))
  return distinct.filter((_, at) => Math.floor(at / step) > Math.floor((at - 1) / step))
}

/** An FTS5 phrase, which takes the text literally. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../context.ts'
import { isWholeNumber, type Page, positionAt, positionedPage } from '../db/keyset.ts'
import { type ListedAsset, listedColumns, withoutErased } from './newest.ts'
import type { BrowseAssets } from './public-schema.ts'
import type { AssetRow } from './record.ts'

/** The table of names holds trigrams, so what is shorter can't be looked up in it. */
export const TRIGRAM = 3

/** As many names as a page looks at. When that is too few to fill it, the page is short and its cursor goes on. */
const WINDOW = 1_000

/** As many trigrams of a text as are asked how rare they are, and how far back each is followed for that. */
const MOST_TRIGRAMS = 8
const SAMPLE = 64

interface Found extends ListedAsset {
  number: number
  is_found: 0 | 1
}

/**
 * A page of the public assets whose name contains `text`, in the order of creation, newest first.
 *
 * What it costs is bounded whatever names others have published. A name that contains the text has each of its
 * trigrams, so the names with one of them, the one that is rarest from here on, are gone through and compared, up to
 * WINDOW of them. SQLite takes them one at a time: CROSS JOIN keeps their order, and the second arm, which tells
 * where the next page goes on, is reached only if the first has not filled the page.
 */
export async function searchAssets(
  { db }: RequestContext,
  { type, limit, cursor }: BrowseAssets,
  text: string,
): Promise<Page<AssetRow>> {
  const list = ['containing', text, type]
  const after = cursor === undefined ? undefined : positionAt(cursor, list, isWholeNumber)
  const candidates = candidatesAfter(after?.key)
  const rows = await db.all<Found>(
    sql`WITH chosen (trigram, sampled) AS MATERIALIZED (${rarestTrigram(trigramsOf(text), after?.key)})
      SELECT ${listedColumns}, number, 1 AS is_found
      FROM (${candidates} LIMIT ${WINDOW}) CROSS JOIN game_assets ON number = candidate
      WHERE instr(search_name, ${text}) > 0 ${type ? sql`AND type = ${type}` : sql.empty()}
      UNION ALL
      SELECT ${listedColumns}, number, 0
      FROM (${candidates} LIMIT 1 OFFSET ${WINDOW}) CROSS JOIN game_assets ON number = candidate
      LIMIT ${limit + 1}`,
  )
  const found = rows.filter(({ is_found }) => is_found === 1)
  const page = found.slice(0, limit)
  // The first that this page has left out: another one found, or the one after the window.
  const next = rows[page.length]
  return withoutErased(positionedPage(list, page, next && { key: next.number + 1, id: '' }))
}

/** The numbers of the assets whose names have the chosen trigram, newest first. */
function candidatesAfter(number: number | undefined): SQL {
  return sql`SELECT rowid AS candidate FROM public_names
    WHERE public_names MATCH (SELECT trigram FROM chosen) ${below(number)} ORDER BY rowid DESC`
}

/** Of some trigrams the one whose SAMPLE-th name from here on is the oldest, or is not there at all. */
function rarestTrigram(trigrams: string[], number: number | undefined): SQL {
  const [first = ''] = trigrams
  if (trigrams.length === 1) return sql`SELECT ${phrase(first)}, 0`
  // min() picks the row of the other columns, too (SQLite, "Bare columns in an aggregate query").
  return sql`SELECT value, min(coalesce((SELECT rowid FROM public_names
      WHERE public_names MATCH value ${below(number)} ORDER BY rowid DESC LIMIT 1 OFFSET ${SAMPLE}), 0))
    FROM json_each(${JSON.stringify(trigrams.map(phrase))})`
}

/** D1 binds numbers as REAL, and FTS5 goes straight to a row for an INTEGER only. */
function below(number: number | undefined): SQL {
  return number === undefined ? sql.empty() : sql`AND rowid < CAST(${number} AS INTEGER)`
}

/** Different trigrams of a text: all of them, or MOST_TRIGRAMS from its beginning to its end. */
function trigramsOf(text: string): string[] {
  const letters = [...text]
  const all = letters.slice(TRIGRAM - 1).map((_, at) => letters.slice(at, at + TRIGRAM).join(''))
  const different = [...new Set(all)]
  const step = Math.max(1, (different.length - 1) / (MOST_TRIGRAMS - 1))
  return different.filter((_, at) => Math.floor(at / step) > Math.floor((at - 1) / step))
}

/** A phrase of an FTS5 query: taken literally, whatever is in it. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

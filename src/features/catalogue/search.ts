import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { type Page, type PageRequest, positionAt, positionedPage } from '../../platform/db/keyset.ts'
import { joined, keptStatements, type Slot } from '../../platform/db/sql.ts'
import { type Facets, nameOfList } from './facets.ts'
import {
  type CatalogueRow,
  isPosition,
  joinEntries,
  type PositionedRow,
  positionedColumns,
  shownOf,
} from './row.ts'

/** The length of the shortest text that the table of trigrams can look up, in characters. */
export const TRIGRAM = 3

/** The number of names that one page compares. A page that finds too few among them is short, and its cursor continues. */
const WINDOW = 1_000

/** The most trigrams of a text that are compared for rarity, each by the age of its SAMPLE-th newest name. */
const MAX_TRIGRAMS = 8
const SAMPLE = 64

interface Candidate extends PositionedRow {
  /** 1: the name contains the text. 0: the row is only the last one that the page has compared. */
  is_found: 0 | 1
}

const keptSearch = keptStatements<Candidate>()

/**
 * A page of the entries with these facets whose name contains `text`, the newest first. The text has TRIGRAM characters or more, as
 * names are compared. A name that contains the text has each of its trigrams. The page therefore compares the names that have the
 * rarest of these trigrams, up to WINDOW of them, so its cost is bounded whatever names exist. CROSS JOIN makes SQLite keep their
 * order. SQLite evaluates the second arm, which selects the last name that was compared, only when the first has not filled the page.
 *
 * @throws INVALID_CURSOR
 */
export async function searchCatalogue(
  { databases }: Pick<RequestContext, 'databases'>,
  { text, facets }: { text: string; facets: Facets },
  { limit, cursor }: PageRequest,
): Promise<Page<CatalogueRow>> {
  const list = ['containing', ...nameOfList(facets), text]
  const after = positionAt(cursor, list, isPosition)?.key
  const isFirst = after === undefined
  const trigrams = trigramsOf(text)
  const [only] = trigrams.length === 1 ? trigrams : []
  const conditions = conditionsOf(facets)
  const values: Record<string, unknown> = {
    text,
    trigram: only && phraseOf(only),
    trigrams: only === undefined ? JSON.stringify(trigrams.map(phraseOf)) : undefined,
    after,
    limit: limit + 1,
    ...conditions.values,
  }
  const statement = keptSearch(
    `search ${facets.required.length} ${facets.excluded.length}`,
    (slot) => {
      const candidates = sql`SELECT rowid AS position FROM catalogue_names
        WHERE catalogue_names MATCH (SELECT trigram FROM chosen) ${beyond(isFirst, slot)} ORDER BY rowid DESC`
      const chosen = only === undefined ? rarestTrigram(isFirst, slot) : sql`SELECT ${slot('trigram')}, 0`
      return sql`WITH chosen (trigram, sampled) AS MATERIALIZED (${chosen})
        SELECT ${positionedColumns}, 1 AS is_found FROM (${candidates} LIMIT ${WINDOW}) ${joinEntries}
        WHERE instr(search_name, ${slot('text')}) > 0 ${conditions.where(slot)}
        UNION ALL
        SELECT ${positionedColumns}, 0 FROM (${candidates} LIMIT 1 OFFSET ${WINDOW - 1}) ${joinEntries}
        LIMIT ${slot('limit')}`
    },
    values,
  )
  const [rows] = await databases.catalogue.send([statement])
  const page = rows.slice(0, limit)
  const isAtEnd = rows.length <= limit && page.at(-1)?.is_found !== 0
  const last = isAtEnd ? undefined : page.at(-1)
  return shownOf(
    positionedPage(list, page, last && { key: last.position, id: last.id }),
    ({ is_found }) => is_found === 1,
  )
}

/** The conditions on an entry's facets: `AND …`, and the values that they bind. */
function conditionsOf({ required, excluded }: Facets) {
  const found = [...required, ...excluded].map((facet, at) => ({ name: `facet_${at}`, text: ` ${facet} ` }))
  return {
    values: Object.fromEntries(found.map(({ name, text }) => [name, text])),
    where: (slot: Slot<string>) =>
      joined(
        found.map(({ name }, at) => {
          const has = sql`instr(facets, ${slot(name)})`
          return at < required.length ? sql`AND ${has} > 0` : sql`AND ${has} = 0`
        }),
        ' ',
      ),
  }
}

/** SQL: a SELECT of the trigram whose SAMPLE-th newest name is the oldest; a trigram with fewer names counts as older. */
function rarestTrigram(isFirst: boolean, slot: Slot<'trigrams' | 'after'>): SQL {
  // min() picks the row of the other columns, too (SQLite, "Bare columns in an aggregate query").
  return sql`SELECT value, min(coalesce((SELECT rowid FROM catalogue_names
      WHERE catalogue_names MATCH value ${beyond(isFirst, slot)} ORDER BY rowid DESC LIMIT 1 OFFSET ${SAMPLE}), 0))
    FROM json_each(${slot('trigrams')})`
}

/** SQL: a further condition, `AND …`, on where a page begins. The CAST is needed: FTS5 seeks by INTEGER, and a position is bound as text. */
function beyond(isFirst: boolean, slot: Slot<'after'>): SQL {
  return isFirst ? sql.empty() : sql`AND rowid < CAST(${slot('after')} AS INTEGER)`
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
function phraseOf(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

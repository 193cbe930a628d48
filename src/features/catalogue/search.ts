import { type SQL, sql } from 'drizzle-orm'
import { type Page, type PageRequest, positionedPage } from '../../platform/db/keyset.ts'
import { isWithin } from '../../platform/db/ratings.ts'
import { joined, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { type Facets, FOR, NOT_FOR_ALL, nameOfList } from './facets.ts'
import { type CatalogueContext, catalogueNear } from './near.ts'
import {
  type CatalogueRow,
  isAfter,
  joinEntries,
  type PositionedRow,
  positionedColumns,
  shownOf,
  startOf,
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

/** The shape of a search's SQL: the numbers of facets, and whether the text has only one trigram. */
interface Shape {
  required: number
  excluded: number
  isOneTrigram: boolean
}

/**
 * The statement of a search. `trigrams` is a JSON list, or the only one. The facets are numbered from 0, the required ones first.
 * CROSS JOIN makes SQLite keep the order of the names. SQLite evaluates the second arm, which selects the last name that was
 * compared, only when the first has not filled the page.
 */
const search = perShape(({ required, excluded, isOneTrigram }: Shape) =>
  statement(
    (
      p: Params<
        | 'text'
        | 'after'
        | 'limit'
        | 'trigrams'
        | 'platform'
        | 'hidden'
        | 'user_id'
        | 'hidden_ratings'
        | `facet_${number}`
      >,
    ) => {
      const names = (trigram: SQL) => sql`SELECT rowid AS position FROM catalogue_names
      WHERE catalogue_names MATCH ${trigram} AND ${isAfter(p.after)} ORDER BY rowid DESC`
      // The trigram whose SAMPLE-th newest name is the oldest; one with fewer names counts as older. min() picks the row of the
      // other columns, too (SQLite, "Bare columns in an aggregate query").
      const rarest = sql`SELECT value, min(coalesce((${names(sql`value`)} LIMIT 1 OFFSET ${SAMPLE}), 0)) FROM json_each(${p.trigrams})`
      const candidates = names(sql`(SELECT trigram FROM chosen)`)
      const hasFacets = Array.from(
        { length: required + excluded },
        (_, at) => sql`AND (instr(facets, ${p[`facet_${at}`]}) > 0) = ${sql.raw(at < required ? '1' : '0')}`,
      )
      return sql<Candidate>`WITH chosen (trigram, sampled) AS MATERIALIZED (${isOneTrigram ? sql`SELECT ${p.trigrams}, 0` : rarest})
      SELECT ${positionedColumns}, 1 AS is_found FROM (${candidates} LIMIT ${WINDOW}) ${joinEntries}
      WHERE instr(search_name, ${p.text}) > 0 ${joined(hasFacets, ' ')} AND ${isWithin(p.hidden)}
        AND (${p.platform} IS NULL OR instr(facets, ' ${sql.raw(NOT_FOR_ALL)} ') = 0 OR instr(facets, ${p.platform}) > 0)
        AND (owner_id = ${p.user_id} OR ${isWithin(p.hidden_ratings)})
      UNION ALL
      SELECT ${positionedColumns}, 0 FROM (${candidates} LIMIT 1 OFFSET ${WINDOW - 1}) ${joinEntries}
      LIMIT ${p.limit}`
    },
  ),
)

/**
 * A page of the entries with these facets whose name contains `text`, the newest first. The text has TRIGRAM characters or more, as
 * names are compared. A name that contains the text has each of its trigrams. The page therefore compares the names that have the
 * rarest of these trigrams, up to WINDOW of them, so its cost is bounded whatever names exist.
 *
 * @throws INVALID_CURSOR
 */
export async function searchCatalogue(
  ctx: CatalogueContext,
  { text, facets }: { text: string; facets: Facets },
  { limit, cursor }: PageRequest,
): Promise<Page<CatalogueRow>> {
  const { required, excluded, platform, hidden, viewer } = facets
  const list = ['containing', ...nameOfList(facets), text]
  const after = startOf(cursor, list)
  const trigrams = trigramsOf(text).map(phraseOf)
  const [first, ...others] = trigrams
  const isOneTrigram = first !== undefined && others.length === 0
  const statement = search({ required: required.length, excluded: excluded.length, isOneTrigram })({
    text,
    after,
    limit: limit + 1,
    platform: platform === undefined ? null : ` ${FOR}${platform} `,
    hidden,
    ...viewer,
    trigrams: isOneTrigram ? first : JSON.stringify(trigrams),
    ...Object.fromEntries([...required, ...excluded].map((facet, at) => [`facet_${at}`, ` ${facet} `])),
  })
  const [rows] = await catalogueNear(ctx).send([statement])
  const page = rows.slice(0, limit)
  const isAtEnd = rows.length <= limit && page.at(-1)?.is_found !== 0
  const last = isAtEnd ? undefined : page.at(-1)
  return shownOf(
    positionedPage(list, page, last && { key: last.position, id: last.id }),
    ({ is_found }) => is_found === 1,
  )
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

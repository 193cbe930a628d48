import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { CatalogueSort } from '../../platform/db/enumerations.ts'
import { type Page, type PageRequest, positionAt, positionedPage } from '../../platform/db/keyset.ts'
import { keptStatements } from '../../platform/db/sql.ts'
import { type Facets, findsStops, matches, matchOf, nameOfList, STOP } from './facets.ts'
import {
  type CatalogueRow,
  isPosition,
  joinEntries,
  type PositionedRow,
  positionedColumns,
  shownOf,
} from './row.ts'

/**
 * The most stops (facets.ts) of a page, so that it compares 32,768 entries or so at most, however long it may be: one that finds nothing
 * takes some 10 ms of the one thread that the database has.
 */
const MAX_STOPS = 8

const keptPage = keptStatements<PositionedRow>()

/**
 * A page of the entries with these facets (docs/catalogue.md). It reads a range of rowids, so it costs two rows an entry, whatever
 * the sort and the facets. It may be short: entries of hidden owners are left out, and it ends early where few entries match.
 *
 * @throws INVALID_CURSOR
 */
export async function cataloguePage(
  { databases }: Pick<RequestContext, 'databases'>,
  { sort, facets }: { sort: CatalogueSort; facets: Facets },
  { limit, cursor }: PageRequest,
): Promise<Page<CatalogueRow>> {
  const list = ['catalogue', sort, ...nameOfList(facets)]
  const after = positionAt(cursor, list, isPosition)?.key
  const table = sql.raw(`catalogue_by_${sort}`)
  const isBounded = limit > MAX_STOPS && findsStops(facets)
  const [rows] = await databases.catalogue.send([
    keptPage(
      `${sort} ${isBounded}`,
      (slot) => {
        const beyond = after === undefined ? sql.empty() : sql`AND rowid < CAST(${slot('after')} AS INTEGER)`
        // The last stop of the page, if there are as many.
        const bound = sql`AND rowid >= coalesce((SELECT rowid FROM ${table} WHERE ${table} MATCH ${sql.raw(`'${STOP}'`)} ${beyond}
          ORDER BY rowid DESC LIMIT 1 OFFSET ${sql.raw(String(MAX_STOPS - 1))}), 0)`
        return sql`SELECT ${positionedColumns} FROM (
          SELECT rowid AS position FROM ${table} WHERE ${table} MATCH ${slot('match')} ${beyond} ${isBounded ? bound : sql.empty()}
          ORDER BY rowid DESC LIMIT ${slot('limit')}
        ) ${joinEntries}`
      },
      { match: matchOf(facets), after, limit: limit + 1 },
    ),
  ])
  const page = rows.slice(0, limit)
  const isAtBound = isBounded && page.filter(({ is_stop }) => is_stop === 1).length >= MAX_STOPS
  const last = rows.length > limit || isAtBound ? page.at(-1) : undefined
  return shownOf(positionedPage(list, page, last && { key: last.position, id: last.id }), ({ all_facets }) =>
    matches(all_facets, facets),
  )
}

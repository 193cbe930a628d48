import { sql } from 'drizzle-orm'
import type { CatalogueSort } from '../../platform/db/enumerations.ts'
import { type Page, type PageRequest, positionedPage } from '../../platform/db/keyset.ts'
import { type Params, perShape, statement } from '../../platform/db/sql.ts'
import { type Facets, findsStops, matches, matchOf, nameOfList, STOP } from './facets.ts'
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

/**
 * The most stops (facets.ts) of a page. A page compares 32,768 entries or so at most, whatever its limit: one that finds nothing
 * takes some 10 ms of the one thread that the database has.
 */
const MAX_STOPS = 8

/** The statement of a page. `isBounded`: the page ends at the last of MAX_STOPS stops, if there are as many. */
const pageOfShape = perShape(({ sort, isBounded }: { sort: CatalogueSort; isBounded: boolean }) =>
  statement((p: Params<'match' | 'after' | 'limit'>) => {
    const table = sql.raw(`catalogue_by_${sort}`)
    const bound = sql`AND rowid >= coalesce((SELECT rowid FROM ${table} WHERE ${table} MATCH ${STOP} AND ${isAfter(p.after)}
      ORDER BY rowid DESC LIMIT 1 OFFSET ${MAX_STOPS - 1}), 0)`
    return sql<PositionedRow>`SELECT ${positionedColumns} FROM (
        SELECT rowid AS position FROM ${table} WHERE ${table} MATCH ${p.match} AND ${isAfter(p.after)}
          ${isBounded ? bound : sql.empty()}
        ORDER BY rowid DESC LIMIT ${p.limit}
      ) ${joinEntries}`
  }),
)

/**
 * A page of the entries with these facets (docs/catalogue.md). It reads a range of rowids, so it costs two rows an entry, whatever
 * the sort and the facets. It may be short: entries of hidden owners are left out, and it ends early where few entries match.
 *
 * @throws INVALID_CURSOR
 */
export async function cataloguePage(
  ctx: CatalogueContext,
  { sort, facets }: { sort: CatalogueSort; facets: Facets },
  { limit, cursor }: PageRequest,
): Promise<Page<CatalogueRow>> {
  const list = ['catalogue', sort, ...nameOfList(facets)]
  const after = startOf(cursor, list)
  const isBounded = limit > MAX_STOPS && findsStops(facets)
  const statement = pageOfShape({ sort, isBounded })({ match: matchOf(facets), after, limit: limit + 1 })
  const [rows] = await catalogueNear(ctx).send([statement])
  const page = rows.slice(0, limit)
  const isAtBound = isBounded && page.filter(({ is_stop }) => is_stop === 1).length >= MAX_STOPS
  const last = rows.length > limit || isAtBound ? page.at(-1) : undefined
  return shownOf(positionedPage(list, page, last && { key: last.position, id: last.id }), (row) =>
    matches(row, facets),
  )
}

import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import type { CatalogueSort } from '../../platform/db/enumerations.ts'
import { type Page, type PageRequest, pageOf, positionAt } from '../../platform/db/keyset.ts'
import { keptStatements } from '../../platform/db/sql.ts'
import { type Facets, matches, matchOf, nameOfList } from './facets.ts'
import {
  type CatalogueRow,
  isPosition,
  joinEntries,
  type PositionedRow,
  positionedColumns,
  shownOf,
} from './row.ts'

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
  const [rows] = await databases.catalogue.send([
    keptPage(
      sort,
      (slot) => sql`SELECT ${positionedColumns} FROM (
          SELECT rowid AS position FROM ${table} WHERE ${table} MATCH ${slot('match')}
            ${after === undefined ? sql.empty() : sql`AND rowid < CAST(${slot('after')} AS INTEGER)`}
          ORDER BY rowid DESC LIMIT ${slot('limit')}
        ) ${joinEntries}`,
      { match: matchOf(facets), after, limit: limit + 1 },
    ),
  ])
  return shownOf(
    pageOf(list, rows, limit, ({ position }) => position),
    ({ all_facets }) => matches(all_facets, facets),
  )
}

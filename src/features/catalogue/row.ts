import { type SQL, sql } from 'drizzle-orm'
import { type Page, positionAt } from '../../platform/db/keyset.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'
import { copiedColumns } from './entries.ts'

const { revision, recounts, search_name, ...columns } = copiedColumns

/** An entry as a row of an asset: the columns that lists show, and the constant values that all assets of the catalogue have. */
export interface CatalogueRow extends RowOf<typeof columns> {
  visibility: 'public'
  listed: 1
  is_listed: 1
  blocked: 0
  deleted_at: null
  unseen_updated_at: null
}

/** A CatalogueRow in a page. */
export interface PositionedRow extends CatalogueRow {
  /** The rowid in the full-text table of the page's sort, in decimal digits: it may be beyond 2⁵³. */
  position: string
  /** Its facets, with a space before and behind each. */
  all_facets: string
  /** 1: it is one of the entries at which pages stop. */
  is_stop: 0 | 1
  /** 1: its owner is being erased. */
  is_hidden: 0 | 1
}

/**
 * SQL: the columns of a PositionedRow, of `catalogue_entries` joined to a `position`. The lower 32 bits of a position are the number of
 * its entry.
 */
export const positionedColumns = sql`${columnsOf(columns)}, 'public' AS visibility, 1 AS listed, 1 AS is_listed, 0 AS blocked,
  NULL AS deleted_at, NULL AS unseen_updated_at, CAST(position AS TEXT) AS position, facets || initials || ' ' AS all_facets, stop <> '' AS is_stop,
  EXISTS (SELECT 1 FROM catalogue_hidden_owners AS hidden
    WHERE hidden.owner_id = catalogue_entries.owner_id AND hidden.until >= created_at) AS is_hidden`

/** SQL: joins the entries of a subquery of positions, in its order. */
export const joinEntries = sql`CROSS JOIN catalogue_entries ON number = position & 4294967295`

/** The greatest rowid. No entry has it. */
const MAX_POSITION = 2n ** 63n - 1n

/** The position after which a page begins. The first page begins after MAX_POSITION. @throws INVALID_CURSOR */
export function startOf(cursor: string | undefined, list: readonly unknown[]): string {
  return positionAt(cursor, list, isPosition)?.key ?? String(MAX_POSITION)
}

/** SQL: whether a row of a full-text table comes after a position. FTS5 seeks by an INTEGER; a position is bound as text. */
export function isAfter(position: SQL): SQL {
  return sql`rowid < CAST(${position} AS INTEGER)`
}

function isPosition(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,19}$/.test(value) && BigInt(value) <= MAX_POSITION
}

/** The page without hidden rows. It may be shorter than its limit: filling it would cost as many rows as are left out. */
export function shownOf<Row extends PositionedRow>(
  { rows, next_cursor }: Page<Row>,
  isFound: (row: Row) => boolean,
): Page<CatalogueRow> {
  return { rows: rows.filter((row) => row.is_hidden === 0 && isFound(row)), next_cursor }
}

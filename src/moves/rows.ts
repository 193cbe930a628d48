import { type SQL, sql } from 'drizzle-orm'
import type { Portable } from './tables.ts'

/** The most rows of one table in one step, and the most bytes of them: D1 binds at most 2 MB. */
export const MOST_ROWS = 1_000
const MOST_BYTES = 1_000_000

/** A row that is copied: its key, and its columns as a JSON array. */
export interface PortableRow {
  key: string
  row: string
  /** How many rows there are from `after` on, at most MOST_ROWS. */
  found: number
}

/** The statement that reads the next rows of a table, by their key: at most MOST_ROWS of at most MOST_BYTES together. */
export function pageOf({ key, columns, from }: Portable, users: string, after: string): SQL<PortableRow> {
  const row = sql.raw(columns.map((column) => `t.${column}`).join(', '))
  return sql`SELECT key, row, found FROM (
      SELECT key, row, count(*) OVER () AS found, size, sum(size) OVER (ORDER BY key) AS total FROM (
        SELECT key, row, length(CAST(row AS BLOB)) AS size FROM (
          SELECT ${sql.raw(key)} AS key, json_array(${row}) AS row ${from(users)}
        ) WHERE key > ${after} ORDER BY key LIMIT ${MOST_ROWS}
      )
    ) WHERE total <= ${MOST_BYTES} OR total = size ORDER BY key`
}

/** Whether a page holds all rows that were left. */
export function isLast(page: readonly PortableRow[]): boolean {
  return page.length === 0 || (page.length < MOST_ROWS && page.length === page[0]?.found)
}

/** The statements that insert the rows of a page. */
export function copyOf(
  { name, table, columns, instead, conflict, afterwards }: Portable,
  page: readonly PortableRow[],
): SQL[] {
  const rows = `[${page.map(({ row }) => row).join(',')}]`
  const values = columns.map((column, index) => instead[column] ?? `row.value ->> ${index}`)
  if (name === 'usage') {
    columns = [...columns, 'moving']
    values.push('1')
  }
  const insert = sql`INSERT ${sql.raw(conflict)} INTO ${sql.raw(table)} (${sql.raw(columns.join(', '))})
    SELECT ${sql.raw(values.join(', '))} FROM json_each(${rows}) AS row WHERE true ${sql.raw(afterwards)}`
  return name === 'garbage' ? [insert, fillGarbage(columns, rows)] : [insert]
}

/** The statement that gives rows of garbage their times and owners, without counting them. */
function fillGarbage(columns: string[], rows: string): SQL {
  const filled = ['writable_until', 'enqueued_at', 'owner_id']
  const values = filled.map((column) => `${column} = value ->> ${columns.indexOf(column)}`)
  return sql`UPDATE garbage SET ${sql.raw(values.join(', '))} FROM json_each(${rows})
    WHERE object_key = value ->> ${sql.raw(String(columns.indexOf('object_key')))}`
}

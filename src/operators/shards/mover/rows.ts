import { type SQL, sql } from 'drizzle-orm'
import type { Portable } from './tables.ts'

/** The most rows of one table in one step, and their most bytes: D1 binds at most 2 MB. */
export const MOST_ROWS = 1_000
const MOST_BYTES = 1_000_000

/** A row that is copied: its key, and its columns as a JSON array. */
export interface PortableRow {
  key: string
  row: string
  /** How many rows come after the key `after` of `pageOf`, at most MOST_ROWS. */
  found: number
}

/** The statement that reads the rows of a table after a key: at most MOST_ROWS, with MOST_BYTES together at most, and at least one. */
export function pageOf(
  { key, columns, reads, from }: Portable,
  users: string,
  after: string,
): SQL<PortableRow> {
  const row = arrayOf(columns.map((column) => reads[column] ?? `t.${column}`))
  return sql`SELECT key, row, found FROM (
      SELECT key, row, count(*) OVER () AS found, size, sum(size) OVER (ORDER BY key) AS total FROM (
        SELECT key, row, length(CAST(row AS BLOB)) AS size FROM (
          SELECT ${keyOf(key)} AS key, ${row} AS row ${from(users)}
        ) WHERE key > ${after} ORDER BY key LIMIT ${MOST_ROWS}
      )
    ) WHERE total <= ${MOST_BYTES} OR total = size ORDER BY key`
}

/** The most arguments of a function: D1 takes 32. */
const MOST_ARGUMENTS = 32

/** SQL: a JSON array of values, which are texts, numbers and nulls. Many make several arrays, which are joined. */
function arrayOf(values: string[]): SQL {
  const parts: string[] = []
  for (let first = 0; first < values.length; first += MOST_ARGUMENTS)
    parts.push(`json_array(${values.slice(first, first + MOST_ARGUMENTS).join(', ')})`)
  const joined = parts.map((part, index) => {
    const opened = index === 0 ? part : `ltrim(${part}, '[')`
    return index === parts.length - 1 ? opened : `rtrim(${opened}, ']')`
  })
  return sql.raw(joined.join(" || ',' || "))
}

/** SQL: the key of a row `t`, as text. */
function keyOf(key: readonly string[]): SQL {
  return sql.raw(key.map((column) => `t.${column}`).join(" || ' ' || "))
}

/** Whether a page is the last of its table. */
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

/** The statement that gives copied rows of `garbage` their times and owners. `usage.moving` keeps the trigger from counting them. */
function fillGarbage(columns: string[], rows: string): SQL {
  const filled = ['writable_until', 'enqueued_at', 'owner_id']
  const values = filled.map((column) => `${column} = value ->> ${columns.indexOf(column)}`)
  return sql`UPDATE garbage SET ${sql.raw(values.join(', '))} FROM json_each(${rows})
    WHERE object_key = value ->> ${sql.raw(String(columns.indexOf('object_key')))}`
}

import { type SQL, sql } from 'drizzle-orm'
import { MOST_SPILL } from '../../db/id.ts'
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
export function pageOf(
  { key, columns, reads, from }: Portable,
  users: string,
  after: string,
): SQL<PortableRow> {
  const row = sql.raw(columns.map((column) => reads[column] ?? `t.${column}`).join(', '))
  return sql`SELECT key, row, found FROM (
      SELECT key, row, count(*) OVER () AS found, size, sum(size) OVER (ORDER BY key) AS total FROM (
        SELECT key, row, length(CAST(row AS BLOB)) AS size FROM (
          SELECT ${keyOf(key)} AS key, json_array(${row}) AS row ${from(users)}
        ) WHERE key > ${after} ORDER BY key LIMIT ${MOST_ROWS}
      )
    ) WHERE total <= ${MOST_BYTES} OR total = size ORDER BY key`
}

/** SQL: what identifies a row `t`, as text. */
function keyOf(key: readonly string[]): SQL {
  return sql.raw(key.map((column) => `t.${column}`).join(" || ' ' || "))
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
  if (name === 'garbage') return [insert, fillGarbage(columns, rows)]
  if (name !== 'game_assets') return [insert]
  const spill = spilled(table, columns, rows)
  // Twice, for two that chose the same number. A third would be missing, and the comparison would take the move back.
  return [insert, spill, spill]
}

/**
 * The statement that inserts assets whose number another asset has here. A number follows from 63 bits of the id, so assets
 * of two databases may have the same. The one that arrives gets the next free number on that side of the other on which its
 * id sorts.
 */
function spilled(table: string, columns: string[], rows: string): SQL {
  const [number, id] = ['number', 'id'].map((column) => `(row.value ->> ${columns.indexOf(column)})`)
  const steps = JSON.stringify(Array.from({ length: MOST_SPILL }, (_, step) => step + 1))
  const free = `(SELECT ${number} + step.value * iif(${id} > (SELECT other.id FROM ${table} AS other WHERE other.number = ${number}), 1, -1)
    AS candidate FROM json_each('${steps}') AS step
    WHERE NOT EXISTS (SELECT 1 FROM ${table} AS taken WHERE taken.number = candidate) LIMIT 1)`
  const values = columns.map((column, index) => (column === 'number' ? free : `row.value ->> ${index}`))
  return sql`INSERT INTO ${sql.raw(table)} (${sql.raw(columns.join(', '))})
    SELECT ${sql.raw(values.join(', '))} FROM json_each(${rows}) AS row
    WHERE NOT EXISTS (SELECT 1 FROM ${sql.raw(table)} AS there WHERE there.id = ${sql.raw(id ?? '')})
    ON CONFLICT (number) DO NOTHING`
}

/** The statement that gives rows of garbage their times and owners, without counting them. */
function fillGarbage(columns: string[], rows: string): SQL {
  const filled = ['writable_until', 'enqueued_at', 'owner_id']
  const values = filled.map((column) => `${column} = value ->> ${columns.indexOf(column)}`)
  return sql`UPDATE garbage SET ${sql.raw(values.join(', '))} FROM json_each(${rows})
    WHERE object_key = value ->> ${sql.raw(String(columns.indexOf('object_key')))}`
}

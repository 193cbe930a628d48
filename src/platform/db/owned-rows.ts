import { type SQL, sql } from 'drizzle-orm'
import { joined } from './sql.ts'

/** SQL: the users whose rows a SELECT finds, as the beginning of its FROM clause and the id of each user in it. */
export interface Owners {
  from: SQL
  id: SQL
}

/** SQL: the users of a JSON array of ids. */
export function ownersIn(users: string): Owners {
  return { from: sql`json_each(${users}) AS owner CROSS JOIN`, id: sql`owner.value` }
}

/** Indexes that together hold every row of an owner, each row in one of them. */
export type Parts = readonly { index: string; condition: string }[]

/** SQL: a SELECT of columns of the users' rows of a table, in `parts`. */
export function ownedRows(
  table: string,
  parts: Parts,
  { from, id }: Owners,
  columns: readonly string[],
): SQL {
  const selects = parts.map(
    ({ index, condition }) => sql`SELECT ${named(table, columns)} FROM
      ${from} ${sql.raw(table)} INDEXED BY ${sql.raw(index)} WHERE owner_id = ${id} AND ${sql.raw(condition)}`,
  )
  return joined(selects, ' UNION ALL ')
}

/** SQL: these columns, each with the name of its table. */
export function named(table: string, columns: readonly string[]): SQL {
  return sql.raw(columns.map((column) => `${table}.${column}`).join(', '))
}

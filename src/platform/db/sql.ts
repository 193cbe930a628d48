import {
  type Column,
  fillPlaceholders,
  type GetColumnData,
  getTableColumns,
  SQL,
  sql,
  Table,
} from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/** Some columns of a table, each under its name: a choice out of `getTableColumns(table)`. */
export type Columns = Record<string, Column>

/** The row that a statement answers which selects exactly these columns. */
export type RowOf<Chosen extends Columns> = { [Name in keyof Chosen]: GetColumnData<Chosen[Name]> }

/** A value that D1 can bind. */
export type Bindable = string | number | null

/** A statement as D1 takes it, with the type of its rows. */
export interface Prepared<Row = unknown> {
  sql: string
  params: unknown[]
  /** Whether each row of its answer is an event that it has written (src/platform/events/record.ts). */
  writesEvents?: true
  /** The partition that the statement fences: a trigger in the first database refuses the batch unless the partition is open. */
  fences?: string
  /** Never set: it carries the type of the rows. */
  row?: Row
}

/** The places of a statement's parameters, by name. */
export type Params<Name extends string> = { readonly [One in Name]: SQL }

/** How drizzle writes SQL for SQLite. */
const dialect = {
  casing: new CasingCache(),
  escapeName: (name: string) => `"${name}"`,
  escapeParam: () => '?',
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
}

/**
 * The one way to write a statement: its SQL with parameters `p`, each under one name. Drizzle prepares it once, at first use,
 * because preparing takes 100 to 300 µs. So `statement` is called where a module is loaded, and never for a request. SQL that
 * varies by shape has a statement for each shape (`perShape`). Returns a function that fills in the parameters' values.
 */
export function statement<Row>(build: () => SQL<Row>): () => Prepared<Row>
export function statement<Name extends string, Row>(
  build: (p: Params<Name>) => SQL<Row>,
): (values: { [One in Name]: Bindable }) => Prepared<Row>
export function statement(
  build: (p: Record<string, SQL>) => SQL,
): (values?: Record<string, Bindable>) => Prepared {
  let prepared: Prepared | undefined
  return (values = {}) => {
    prepared ??= prepare(build(params()))
    return { sql: prepared.sql, params: fillPlaceholders(prepared.params, values) }
  }
}

/** Makes something once for each shape: `make` sees nothing else that varies. Shapes are equal when their JSON is. */
export function perShape<Shape, Made>(make: (shape: Shape) => Made): (shape: Shape) => Made {
  const made = new Map<string, Made>()
  return (shape) => {
    const key = JSON.stringify(shape)
    const known = made.get(key) ?? make(shape)
    made.set(key, known)
    return known
  }
}

/** The places of parameters: each name that is read is one. They can't be spread, because no list of them exists. */
function params<Name extends string>(): Params<Name>
function params(): Record<string, SQL> {
  return new Proxy<Record<string, SQL>>(
    {},
    {
      get: (_, name) => sql`${sql.placeholder(String(name))}`,
      ownKeys: () => {
        throw new TypeError('a parameter is read by its name')
      },
    },
  )
}

/**
 * The text and the values of a statement that holds its values in its SQL, as statements of the job and of operators do. A
 * prepared statement is returned as it is.
 */
export function prepare<Row>(given: SQL<Row> | Prepared<Row>): Prepared<Row> {
  if ('params' in given) return given
  const { sql: text, params: values } = given.toQuery(dialect)
  return { sql: text, params: values }
}

/** SQL: the names of columns, separated by commas: plain ones, or those of `alias`. */
export function columnsOf(columns: Columns | SQLiteTable, alias?: string): SQL {
  const names = Object.keys(columns instanceof Table ? getTableColumns(columns) : columns)
  return sql.raw(names.map((name) => (alias === undefined ? name : `${alias}.${name}`)).join(', '))
}

/** The values of a row, or SQL for them. A column that is left out gets its default. */
export type Values<Into extends SQLiteTable> = {
  [Name in keyof Into['$inferInsert']]: Into['$inferInsert'][Name] | SQL
}

/** SQL: the assignments of an UPDATE's SET. Members that are undefined are left out. */
export function assignments<Into extends SQLiteTable>(_table: Into, values: Partial<Values<Into>>): SQL {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return joined(
    given.map(([name, value]) => sql`${sql.raw(name)} = ${value}`),
    ', ',
  )
}

/**
 * SQL: the INSERT of a row. With `from`, the rest of a SELECT (`FROM … WHERE …`), a row is written for each selected row, so that
 * a write can carry its own condition.
 */
export function insert<Into extends SQLiteTable>(table: Into, values: Values<Into>, from?: SQL): SQL {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const names = sql.raw(given.map(([name]) => name).join(', '))
  const row = joined(
    given.map(([, value]) => sql`${value}`),
    ', ',
  )
  return from
    ? sql`INSERT INTO ${table} (${names}) SELECT ${row} ${from}`
    : sql`INSERT INTO ${table} (${names}) VALUES (${row})`
}

/** SQL: a SELECT of these ids, which SQL gives as a JSON list. */
export function idsIn(ids: readonly string[] | SQL): SQL {
  return sql`SELECT value FROM json_each(${ids instanceof SQL ? ids : JSON.stringify(ids)})`
}

/** SQL: fragments, joined by a separator. */
export function joined(fragments: SQL[], separator: string): SQL {
  return sql.join(fragments, sql.raw(separator))
}

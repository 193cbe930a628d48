import {
  type Column,
  fillPlaceholders,
  type GetColumnData,
  getTableColumns,
  getTableName,
  Placeholder,
  SQL,
  StringChunk,
  sql,
  Table,
} from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/** Some columns of a table, each under its name: a choice out of `getTableColumns(table)`. */
export type Columns = Record<string, Column>

/** The row that a statement answers which selects exactly these columns. */
export type RowOf<Chosen extends Columns> = { [Name in keyof Chosen]: GetColumnData<Chosen[Name]> }

/** A statement as D1 takes it, with the type of its rows. */
export interface Rendered<Row = unknown> {
  sql: string
  params: unknown[]
  /** Whether each row of its answer is an event that it has written (src/platform/events/record.ts). */
  writesEvents?: true
  /** The partition whose fence it is: a trigger in the first database refuses it, with its batch, unless that is open. */
  fences?: string
  /** Never set: it holds the type. */
  row?: Row
}

/**
 * The statement's text and parameters; of one that has been rendered before, itself. In one pass: drizzle's `sqlToQuery`
 * makes an object for each fragment and takes two to four times as long, which `npm run bench` shows on every write. A
 * test compares the two.
 */
export function render<Row>(statement: SQL<Row> | Rendered<Row>): Rendered<Row> {
  if ('params' in statement) return statement
  const rendered: Rendered<Row> = { sql: '', params: [] }
  write(statement.queryChunks, rendered)
  return rendered
}

function write(chunks: readonly unknown[], rendered: Rendered): void {
  for (const chunk of chunks) {
    if (chunk instanceof StringChunk) rendered.sql += chunk.value.join('')
    else if (chunk instanceof SQL) write(chunk.queryChunks, rendered)
    else if (Array.isArray(chunk)) writeList(chunk, rendered)
    else if (chunk instanceof Table) rendered.sql += `"${getTableName(chunk)}"`
    else {
      if (!isValue(chunk))
        throw new TypeError(`A statement has a part that is no value after: ${rendered.sql}`)
      rendered.sql += '?'
      rendered.params.push(chunk)
    }
  }
}

/** Whether D1 can bind a chunk, now or when it is filled in. Columns are not values: `columnsOf` has their names. */
function isValue(chunk: unknown): boolean {
  if (typeof chunk === 'object') return chunk === null || chunk instanceof Placeholder
  return typeof chunk === 'string' || typeof chunk === 'number' || typeof chunk === 'boolean'
}

/** As drizzle writes arrays: `(?, ?)`. */
function writeList(chunks: readonly unknown[], rendered: Rendered): void {
  rendered.sql += '('
  chunks.forEach((chunk, index) => {
    if (index > 0) rendered.sql += ', '
    write([chunk], rendered)
  })
  rendered.sql += ')'
}

/** SQL: the place of a value in a kept statement. */
export type Slot<Name extends string> = (name: Name) => SQL

/**
 * Keeps statements whose shape is one of few: a list's, by sort, order and filter, or an edit's, by the members that
 * change. Renders once per `shape` and set of names in `values`: `shape` must cover everything else that changes the SQL.
 * Tests compare each use with the statement rendered anew (test/support/kept-statements.ts). A value that differs from
 * request to request is a `slot(name)`, filled from `values`. Rendering at each use makes a write cost a tenth more
 * (`npm run bench`).
 */
export function keptStatements<Row>(): <Name extends string>(
  shape: string,
  build: (slot: Slot<Name>) => SQL<Row>,
  values: { [Value in Name]?: unknown },
) => Rendered<Row> {
  const kept = new Map<string, Rendered<Row>>()
  return (shape, build, values) => {
    let key = shape
    for (const [name, value] of Object.entries(values)) if (value !== undefined) key += ` ${name}`
    const rendered = kept.get(key) ?? render(build((name) => sql`${sql.placeholder(name)}`))
    kept.set(key, rendered)
    return { sql: rendered.sql, params: fillPlaceholders(rendered.params, values) }
  }
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
 * SQL: the INSERT of a row. With `from`, the rest of a SELECT (`FROM … WHERE …`), a row is written for each row of that,
 * which is how a write carries its own condition.
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

/** SQL: fragments in a row. */
export function joined(fragments: SQL[], separator: string): SQL {
  return sql.join(fragments, sql.raw(separator))
}

import { env } from 'cloudflare:test'
import { getTableColumns, is, SQL } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import { rowsOfNoUser, rowsOfPartitions, rowsOfUsers } from '../../src/operators/user-rows.ts'
import * as schema from '../../src/platform/db/schema.ts'
import { prepare } from '../../src/platform/db/sql.ts'

const tables = Object.values(schema).filter((member) => is(member, SQLiteTable))

/** A column as SQLite tells it. */
interface Told {
  name: string
  type: string
  notnull: 0 | 1
  dflt_value: string | null
  /** 1 and up: its place in the primary key. */
  pk: number
  /** 2: generated and not stored, 3: generated and stored. */
  hidden: 0 | 1 | 2 | 3
}

it.each(tables.map((table) => [getTableConfig(table).name, table] as const))(
  'the columns of %s are those that platform/db/schema.ts names',
  async (name, table) => {
    const { results } = await env.DB.prepare(`SELECT * FROM pragma_table_xinfo('${name}')`).all<Told>()
    const told = results.map(({ name, type, notnull, dflt_value, pk, hidden }) => ({
      name,
      type,
      // SQLite says of a rowid that it may be null, which it never is.
      notNull: notnull === 1 || (type === 'INTEGER' && pk === 1),
      default: dflt_value,
      isKey: pk > 0,
      isGenerated: hidden > 1,
    }))
    const { columns, primaryKeys } = getTableConfig(table)
    const keys = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)))
    const named = columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      notNull: column.notNull,
      default: literal(column.default),
      isKey: column.primary || keys.has(column.name),
      isGenerated: column.generated !== undefined,
    }))
    expect(told).toEqual(named)
    // Statements take a column's name from the member that holds it.
    expect(Object.keys(getTableColumns(table))).toEqual(columns.map((column) => column.name))
  },
)

/** The names of the tables in the database, without those of the platform and of search. */
async function namesOfTables(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
      AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name NOT LIKE '!_cf!_%' ESCAPE '!' AND name NOT LIKE 'd1!_%' ESCAPE '!'
      AND name NOT GLOB '*_names_*' AND name NOT GLOB 'catalogue_by_*'`,
  ).all<{ name: string }>()
  return results.map(({ name }) => name).sort()
}

it('every table of the database is in db/schema.ts', async () => {
  expect(await namesOfTables()).toEqual(tables.map((table) => getTableConfig(table).name).sort())
})

it('user-rows.ts says of every table of the database whose its rows are, or why they are no user’s', async () => {
  const told = [rowsOfUsers, rowsOfPartitions, rowsOfNoUser].flatMap((some) => Object.keys(some))
  expect(told.sort()).toEqual(await namesOfTables())
})

it.each(Object.entries({ ...rowsOfUsers, ...rowsOfPartitions }))(
  'user-rows.ts has the table of %s under its name, with a key and tables that refer to it after it',
  (name, rows) => {
    const { columns, name: table } = getTableConfig(rows.table)
    expect(table).toBe(name)
    expect(columns.map((column) => column.name)).toEqual(expect.arrayContaining([...rows.key]))
    const after = Object.keys(rowsOfUsers).slice(Object.keys(rowsOfUsers).indexOf(name) + 1)
    expect(after).toEqual(expect.arrayContaining('referredBy' in rows ? Object.keys(rows.referredBy) : []))
  },
)

function literal(value: unknown): string | null {
  if (is(value, SQL)) return prepare(value).sql
  if (value === undefined) return null
  return typeof value === 'string' ? `'${value}'` : String(value)
}

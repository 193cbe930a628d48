/** What a database consists of, as code that reads and writes it notices. */
import { DatabaseSync } from 'node:sqlite'

/** Parts by their names (`column orders.total`), each with what an INSERT or a SELECT notices of it. */
export type Parts = Map<string, string>

/** A database with these migrations. */
export function databaseWith(migrations: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const migration of migrations) database.exec(migration)
  return database
}

/** Every table with its columns, CHECKs and foreign keys, every view, trigger and index. */
export function partsOf(database: DatabaseSync): Parts {
  const parts: Parts = new Map()
  const objects = database
    .prepare(`SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`)
    .all()
  for (const { type, name, tbl_name, sql } of objects) {
    const text = normal(String(sql))
    if (type === 'trigger') parts.set(`trigger ${tbl_name}.${name}`, text)
    else if (type === 'index') parts.set(indexName(tbl_name, name, text), / UNIQUE /.test(text) ? text : '')
    else
      for (const [part, as] of partsOfTable(database, String(type), String(name), text)) parts.set(part, as)
  }
  return parts
}

const indexName = (table: unknown, name: unknown, sql: string) =>
  `${/^CREATE UNIQUE /.test(sql) ? 'unique index' : 'index'} ${table}.${name}`

function* partsOfTable(
  database: DatabaseSync,
  type: string,
  name: string,
  sql: string,
): Generator<[string, string]> {
  yield [`${type} ${name}`, type === 'view' ? sql : '']
  const columns = database.prepare(
    `SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)`,
  )
  for (const { name: column, ...as } of columns.all(name))
    yield [`column ${name}.${column}`, JSON.stringify(as)]
  for (const check of checksIn(sql)) yield [`check ${name}: ${check}`, '']
  const keys = database.prepare(
    `SELECT "from", "table", "to", on_update, on_delete FROM pragma_foreign_key_list(?)`,
  )
  for (const { from, ...as } of keys.all(name)) yield [`foreign key ${name}.${from}`, JSON.stringify(as)]
  // A UNIQUE or PRIMARY KEY of the table itself, whose index has a number for a name.
  const indexes = database.prepare(
    `SELECT name FROM pragma_index_list(?) WHERE "unique" = 1 AND origin <> 'c'`,
  )
  const columnsOf = database.prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno')
  for (const { name: index } of indexes.all(name))
    yield [
      `unique ${name} (${columnsOf
        .all(String(index))
        .map((one) => one.name)
        .join(', ')})`,
      '',
    ]
}

/** The conditions of the CHECKs in the statement that made a table. */
function checksIn(sql: string): string[] {
  return sql
    .split(/\bCHECK \(/)
    .slice(1)
    .map((rest) => {
      let depth = 1
      const end = [...rest].findIndex((character) => {
        if (character === '(') depth += 1
        if (character === ')') depth -= 1
        return depth === 0
      })
      return rest.slice(0, end)
    })
}

/** A statement without comments, with single spaces. */
const normal = (sql: string) =>
  sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

/** The statements that make a database as the migrations do, once one has been migrated in this runtime. */
let migrated: Statement[] | undefined

interface Statement {
  sql: string
  values: unknown[]
}

/**
 * Migrates an empty database. The first one in a runtime goes through each migration, and every other is made by one batch of what
 * the first one had then: that takes a quarter of the time, and a file of tests begins with empty databases.
 */
export async function migrate(database: D1Database): Promise<void> {
  if (migrated) {
    await database.batch(migrated.map(({ sql, values }) => database.prepare(sql).bind(...values)))
    return
  }
  await applyD1Migrations(database, env.MIGRATIONS)
  migrated = await statementsOf(database)
}

/** Triggers come last, because they would see the rows. A virtual table makes its shadow tables itself. */
async function statementsOf(database: D1Database): Promise<Statement[]> {
  const { results } = await database
    .prepare(
      `SELECT s.type, s.name, s.sql FROM sqlite_schema AS s LEFT JOIN pragma_table_list AS l ON l.name = s.name
      WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND s.name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
        AND l.type IS NOT 'shadow' ORDER BY s.rowid`,
    )
    .all<{ type: string; name: string; sql: string }>()
  const statements = (type: string) =>
    results.flatMap((one) => (one.type === type ? [{ sql: one.sql, values: [] }] : []))
  const tables = results.filter(({ type }) => type === 'table')
  const rows = await Promise.all(tables.map(({ name }) => rowsOf(database, name)))
  return [...statements('table'), ...rows.flat(), ...['index', 'view', 'trigger'].flatMap(statements)]
}

async function rowsOf(database: D1Database, table: string): Promise<Statement[]> {
  const { results } = await database.prepare(`SELECT * FROM "${table}"`).all<Record<string, unknown>>()
  return results.map((row) => ({
    sql: `INSERT INTO "${table}" (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).map(() => '?')})`,
    values: Object.values(row),
  }))
}

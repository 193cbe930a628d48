import { everyDatabase } from './databases.ts'
import { addToSorts } from './seed-entries.ts'

const fullTextTables = [
  'catalogue_by_published',
  'catalogue_by_updated',
  'catalogue_by_popular',
  'catalogue_names',
]

/** Every table's rows of a database, without generated columns: a point in time to go back to. */
type Snapshot = Map<string, Record<string, unknown>[]>

/** The tables; a table comes before those that refer to it. The full-text tables are rebuilt from the entries of the catalogue. */
async function tablesOf(database: D1Database): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'catalogue_by_*'
        AND name NOT GLOB 'catalogue_names*' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations'
      ORDER BY name = 'asset_variants', name IN ('shares', 'asset_versions'), name`,
    )
    .all<{ name: string }>()
  return results.map(({ name }) => name)
}

/** Reads all rows of a database. */
export async function snapshotOf(database: D1Database): Promise<Snapshot> {
  const kept: Snapshot = new Map()
  for (const table of await tablesOf(database)) {
    const { results: columns } = await database.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>()
    const { results } = await database
      .prepare(`SELECT ${columns.map(({ name }) => name).join()} FROM ${table}`)
      .all()
    kept.set(table, results)
  }
  return kept
}

/** Restores a database to a snapshot, as Time Travel does. Triggers are dropped meanwhile, because the counters are restored too. */
export async function restore(database: D1Database, kept: Snapshot): Promise<void> {
  const { results: triggers } = await database
    .prepare(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name NOT IN ('fence', 'move_fence')`,
    )
    .all<{ name: string; sql: string }>()
  const statements = [
    ...triggers.map(({ name }) => database.prepare(`DROP TRIGGER ${name}`)),
    ...[...kept.keys()].reverse().map((table) => database.prepare(`DELETE FROM ${table}`)),
  ]
  for (const [table, records] of kept)
    for (const record of records) {
      const columns = Object.keys(record)
      statements.push(
        database
          .prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`)
          .bind(...Object.values(record)),
      )
    }
  statements.push(
    ...fullTextTables.map((table) =>
      database.prepare(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`),
    ),
    ...addToSorts.map((add) => database.prepare(add).bind(0)),
    ...triggers.map(({ sql }) => database.prepare(sql)),
  )
  await database.batch(statements)
}

/** Takes a snapshot of every database. The returned function restores the snapshots. */
export async function now(): Promise<() => Promise<void>> {
  const kept = await Promise.all(everyDatabase.map(snapshotOf))
  return async () => {
    for (const [index, database] of everyDatabase.entries()) await restore(database, kept[index] ?? new Map())
  }
}

/** Remembers which local databases have been migrated, because asking wrangler takes two seconds for each. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { project } from '../development.ts'
import { migrationsIn } from '../migrations/files.ts'

const folderOfMigrations = join(project, 'migrations')

/** A digest of the names and contents of the migrations. */
function migrations(): string {
  const hash = createHash('sha256')
  for (const { name, sql } of migrationsIn(folderOfMigrations)) hash.update(name).update(sql)
  return hash.digest('hex')
}

/** The file in a state folder with the digest of the migrations, and the databases that have them. */
const noteOf = (state: string) => join(state, 'migrated')

/** The databases of a state folder that may lack migrations. */
export function unmigrated(state: string, databases: string[]): string[] {
  const note = noteOf(state)
  const folder = join(state, 'v3/d1')
  if (!existsSync(note) || !existsSync(folder)) return databases
  if (!readdirSync(folder, { recursive: true }).some((name) => `${name}`.endsWith('.sqlite')))
    return databases
  const [digest, ...migrated] = readFileSync(note, 'utf8').split('\n')
  return digest === migrations() ? databases.filter((name) => !migrated.includes(name)) : databases
}

/** Notes that these databases of a state folder have today's migrations. */
export function noteMigrated(state: string, databases: string[]): void {
  const known = existsSync(noteOf(state)) ? readFileSync(noteOf(state), 'utf8').split('\n') : []
  const [digest, ...migrated] = known
  const current = migrations()
  const names = new Set([...(digest === current ? migrated : []), ...databases])
  writeFileSync(noteOf(state), [current, ...names].join('\n'))
}

/**
 * The tables and columns that databases of a state lack although the migrations that make them are noted as applied: other
 * migrations of these names have made such a database. No server may be running on the state.
 */
export async function missingIn(state: string): Promise<string[]> {
  const folder = join(state, 'v3/d1')
  if (!existsSync(folder)) return []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sqlite'),
  )
  // Loaded here, because Node 22 warns of an experimental module as soon as it is.
  const { DatabaseSync } = await import('node:sqlite')
  const missing = new Set<string>()
  for (const file of files) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true })
    const isMigrated = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'`).get()
    const applied = isMigrated ? database.prepare('SELECT name FROM d1_migrations').all() : []
    const replayed = new DatabaseSync(':memory:')
    for (const { name, sql } of migrationsIn(folderOfMigrations))
      if (applied.some((one) => one.name === name)) replayed.exec(sql)
    const columns = columnsOf(database)
    for (const column of columnsOf(replayed)) if (!columns.includes(column)) missing.add(column)
    replayed.close()
    database.close()
  }
  return [...missing]
}

/** The columns of every table and view, each as `table.column`. */
function columnsOf(database: DatabaseSync): string[] {
  const columns = database.prepare(
    `SELECT objects.name || '.' || columns.name AS name FROM sqlite_schema AS objects
      CROSS JOIN pragma_table_xinfo(objects.name) AS columns
      WHERE objects.type IN ('table', 'view') AND objects.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  )
  return columns.all().map(({ name }) => String(name))
}

/** Remembers which local databases have been migrated, because asking the simulator takes two seconds for each. */
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
 * Why the databases of a state can't be migrated: other migrations than today's have made one. Undefined when they can. No server may
 * be running on the state.
 */
export async function whyForeign(state: string): Promise<string | undefined> {
  const folder = join(state, 'v3/d1')
  if (!existsSync(folder)) return undefined
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sqlite'),
  )
  // Loaded here, because Node 22 warns of an experimental module as soon as it is.
  const { DatabaseSync } = await import('node:sqlite')
  const known = migrationsIn(folderOfMigrations)
  const [unknown, missing] = [new Set<string>(), new Set<string>()]
  for (const file of files) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true })
    const isMigrated = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'`).get()
    const applied = isMigrated ? database.prepare('SELECT name FROM d1_migrations').all() : []
    const lacksKnown = known.some(({ name }) => applied.every((one) => one.name !== name))
    // A later version has migrations of its own beside all of today's.
    for (const { name } of lacksKnown ? applied : [])
      if (!known.some((one) => one.name === name)) unknown.add(String(name))
    const replayed = new DatabaseSync(':memory:')
    for (const { name, sql } of known) if (applied.some((one) => one.name === name)) replayed.exec(sql)
    const columns = columnsOf(database)
    for (const column of columnsOf(replayed)) if (!columns.includes(column)) missing.add(column)
    replayed.close()
    database.close()
  }
  if (unknown.size > 0) return `it has ${someOf(unknown)}, which is in migrations/ no more`
  return missing.size > 0 ? `it lacks ${someOf(missing)}` : undefined
}

/** What is said of a state whose databases can't be migrated. */
export function foreignState(state: string, why: string): string {
  return `The local database was made by other migrations than those in migrations/, and can't be migrated: ${why}. ${beginAnew(state)}; it has all local users, files and notifications.`
}

/** What is said of a state whose databases were not migrated. */
export function notMigrated(state: string, output: string): string {
  return `${output}\nThe local database could not be migrated; see above. ${beginAnew(state)}.`
}

const beginAnew = (state: string) => `To begin anew, delete ${state}`

/** The first names, and how many more there are. */
function someOf(names: ReadonlySet<string>): string {
  const first = [...names].slice(0, 3).join(', ')
  return names.size > 3 ? `${first} and ${names.size - 3} more` : first
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

/** Remembers which local databases have been migrated, because asking wrangler takes two seconds for each. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../development.ts'
import { renamingOf } from '../migrations/ledger.ts'

/** A digest of the names and contents of the migrations. */
function migrations(): string {
  const folder = `${project}migrations`
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
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
 * Renames the applied migrations in the databases of a state folder to their present names, so that none is applied twice. No
 * server may run on the state folder.
 */
export async function renameApplied(state: string): Promise<void> {
  const folder = join(state, 'v3/d1')
  if (!existsSync(folder)) return
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sqlite'),
  )
  // Loaded here, because Node 22 warns of an experimental module as soon as it is.
  const { DatabaseSync } = await import('node:sqlite')
  for (const file of files) {
    const database = new DatabaseSync(join(folder, file))
    const isMigrated = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'`).get()
    const applied = isMigrated ? database.prepare('SELECT name FROM d1_migrations').all() : []
    for (const statement of renamingOf(applied.map(({ name }) => String(name)))) database.exec(statement)
    database.close()
  }
}

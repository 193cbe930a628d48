/** Whether the local databases have been migrated. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../development.ts'

/** A digest of the migrations, their names and their content, and of the databases that have them. */
function migrations(databases: string[]): string {
  const folder = `${project}migrations`
  const hash = createHash('sha256').update(databases.join())
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}

/** The note beside a state's databases that says with which migrations they were migrated. */
const noteOf = (state: string) => join(state, 'migrated')

/** Whether the databases of a state have these migrations. Asking wrangler takes two seconds for each. */
export function isMigrated(state: string, databases: string[]): boolean {
  const note = noteOf(state)
  if (!existsSync(note) || readFileSync(note, 'utf8') !== migrations(databases)) return false
  const folder = join(state, 'v3/d1')
  return (
    existsSync(folder) &&
    readdirSync(folder, { recursive: true }).some((name) => `${name}`.endsWith('.sqlite'))
  )
}

/** Notes that the databases of a state have these migrations. */
export function noteMigrated(state: string, databases: string[]): void {
  writeFileSync(noteOf(state), migrations(databases))
}

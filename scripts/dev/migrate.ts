/** Migrates the local database, when that has not been done yet. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../development.ts'

/** A digest of the migrations: their names and their content. */
function migrations(): string {
  const folder = `${project}migrations`
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}

/** The note beside a state's database that says with which migrations it was migrated. */
const noteOf = (state: string) => join(state, 'migrated')

/** Whether the database of a state has these migrations. Asking wrangler takes two seconds. */
export function isMigrated(state: string): boolean {
  const note = noteOf(state)
  if (!existsSync(note) || readFileSync(note, 'utf8') !== migrations()) return false
  const databases = join(state, 'v3/d1')
  return (
    existsSync(databases) &&
    readdirSync(databases, { recursive: true }).some((name) => `${name}`.endsWith('.sqlite'))
  )
}

/** Notes that the database of a state has these migrations. */
export function noteMigrated(state: string): void {
  writeFileSync(noteOf(state), migrations())
}

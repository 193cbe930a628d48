/** The migrations of the databases, as they are in `migrations/`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of `migrations/`. */
export interface Migration {
  name: string
  sql: string
}

/** The migrations of a folder, in the order in which they are applied. */
export function migrationsIn(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d.*\.sql$/.test(name))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }))
}

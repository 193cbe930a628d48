/** Whether the local databases have been migrated. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { project } from '../development.ts'

/** A digest of the migrations, their names and their content. */
function migrations(): string {
  const folder = `${project}migrations`
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}

/** The note beside a state's databases that says which of them have which migrations. */
const noteOf = (state: string) => join(state, 'migrated')

/** Those of the databases of a state that may not have these migrations. Asking wrangler takes two seconds for each. */
export function unmigrated(state: string, databases: string[]): string[] {
  const note = noteOf(state)
  const folder = join(state, 'v3/d1')
  if (!existsSync(note) || !existsSync(folder)) return databases
  if (!readdirSync(folder, { recursive: true }).some((name) => `${name}`.endsWith('.sqlite')))
    return databases
  const [digest, ...migrated] = readFileSync(note, 'utf8').split('\n')
  return digest === migrations() ? databases.filter((name) => !migrated.includes(name)) : databases
}

/** Notes that these databases of a state have been migrated, and with them those of which that is known. */
export function noteMigrated(state: string, databases: string[]): void {
  const known = existsSync(noteOf(state)) ? readFileSync(noteOf(state), 'utf8').split('\n') : []
  const [digest, ...migrated] = known
  const current = migrations()
  const names = new Set([...(digest === current ? migrated : []), ...databases])
  writeFileSync(noteOf(state), [current, ...names].join('\n'))
}

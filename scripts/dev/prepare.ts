/**
 * Prepares a plain `npx wrangler dev`: makes `.dev.vars` and the tables of the local database, if they are missing. wrangler runs
 * this as part of `[build]` (wrangler.toml), before it reads `.dev.vars`, and names its own command in WRANGLER_COMMAND: nothing is
 * prepared for a deployment. `npm run dev` has prepared its own state.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { developmentVariables, project } from '../development.ts'
import { foreignState, noteMigrated, notMigrated, unmigrated, whyForeign } from './migrate.ts'

/** Where wrangler keeps the data, unless it is given --persist-to. */
const state = join(project, '.wrangler/state')

const { WRANGLER_COMMAND, IS_PREPARED } = process.env
if (WRANGLER_COMMAND === 'dev' && IS_PREPARED === undefined) {
  developmentVariables()
  if (unmigrated(state, ['DB']).length > 0) await migrate()
}

/** Migrates the local database, while another server that starts on the same state waits. */
async function migrate(): Promise<void> {
  mkdirSync(state, { recursive: true })
  // Loaded here, because Node 22 warns of an experimental module as soon as it is.
  const { DatabaseSync } = await import('node:sqlite')
  // A lock that ends with the process, whatever ends it.
  const lock = new DatabaseSync(join(state, 'migrating'))
  lock.exec('PRAGMA busy_timeout = 120000; BEGIN EXCLUSIVE')
  const names = unmigrated(state, ['DB'])
  const why = names.length > 0 ? await whyForeign(state) : undefined
  if (why !== undefined) leave(foreignState(state, why))
  for (const name of names) {
    console.log('Migrating the local database …')
    const apply = [join(project, 'scripts/dev/apply-migrations.ts'), state, name]
    const { status, output } = spawnSync(process.execPath, apply, { encoding: 'utf8' })
    if (status !== 0) leave(notMigrated(state, output.join('')))
    noteMigrated(state, [name])
  }
  lock.close()
}

function leave(message: string): never {
  console.error(message)
  process.exit(1)
}

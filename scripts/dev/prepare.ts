/**
 * Prepares a plain `npx wrangler dev`: makes `.dev.vars` and the tables of the local database, if they are missing. wrangler runs
 * this as part of `[build]` (wrangler.toml), before it reads `.dev.vars`, and names its own command in WRANGLER_COMMAND: nothing is
 * prepared for a deployment. `npm run dev` has prepared its own state.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { developmentVariables, project } from '../development.ts'
import { foreignState, noteMigrated, notMigrated, unmigrated, whyForeign } from './migrate.ts'

/** Where wrangler keeps the data, unless it is given --persist-to. */
const state = join(project, '.wrangler/state')

const { WRANGLER_COMMAND, IS_PREPARED } = process.env
if (WRANGLER_COMMAND === 'dev' && IS_PREPARED === undefined) {
  developmentVariables()
  const names = unmigrated(state, ['DB'])
  const why = names.length > 0 ? await whyForeign(state) : undefined
  if (why !== undefined) leave(foreignState(state, why))
  for (const name of names) {
    console.log('Migrating the local database …')
    // The first attempt fails when another server migrates the same state meanwhile.
    const failure = migrate(name) && migrate(name)
    if (failure) leave(notMigrated(state, failure))
    noteMigrated(state, [name])
  }
}

/** Migrates a database. Returns the output of a failure. */
function migrate(name: string): string | undefined {
  const apply = ['d1', 'migrations', 'apply', name, '--local', '--persist-to', state]
  const { status, output } = spawnSync(join(project, 'node_modules/.bin/wrangler'), apply, {
    cwd: project,
    encoding: 'utf8',
  })
  return status === 0 ? undefined : output.join('')
}

function leave(message: string): never {
  console.error(message)
  process.exit(1)
}

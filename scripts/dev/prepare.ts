/**
 * Prepares a plain `npx wrangler dev`: makes `.dev.vars` and the tables of the local database, if they are missing. wrangler runs
 * this as part of `[build]` (wrangler.toml), before it reads `.dev.vars`, and names its own command in WRANGLER_COMMAND: nothing is
 * prepared for a deployment. `npm run dev` has prepared its own state.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { developmentVariables, project } from '../development.ts'
import { noteMigrated, unmigrated } from './migrate.ts'

/** Where wrangler keeps the data, unless it is given --persist-to. */
const state = join(project, '.wrangler/state')

const { WRANGLER_COMMAND, IS_PREPARED } = process.env
if (WRANGLER_COMMAND === 'dev' && IS_PREPARED === undefined) {
  developmentVariables()
  for (const name of unmigrated(state, ['DB'])) {
    console.log('Migrating the local database …')
    const apply = ['d1', 'migrations', 'apply', name, '--local', '--persist-to', state]
    execFileSync(join(project, 'node_modules/.bin/wrangler'), apply, {
      cwd: project,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    noteMigrated(state, [name])
  }
}

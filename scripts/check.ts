/**
 * npm run check [-- NAME …]: type checks, the linter, what pages and comments refer to, and what generated files, migrations and the
 * lockfile have to be; or only those that are named. As many at a time as the machine has cores. Fails when one of them fails.
 */
import { exec } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { project } from './development.ts'
import { refuse } from './usage.ts'

/** In the order in which they begin: those that take longest first. */
const checks = {
  types: 'tsc -p tsconfig.json --checkers 1',
  client: 'tsc -p client --noEmit --checkers 1',
  description: 'node scripts/describe.ts --check',
  documents: 'vitest run --project documents',
  scripts: 'tsc -p scripts/tsconfig.json --checkers 1',
  console: 'tsc -p console --checkers 1',
  pages: 'tsc -p pages --checkers 1',
  unused: 'knip',
  lockfile: 'node scripts/check-lockfile.ts',
  migrations: 'node scripts/check-migrations.ts',
  lint: 'biome check --error-on-warnings',
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !Object.hasOwn(checks, name))
if (unknown.length > 0)
  refuse(`There is no check "${unknown[0]}".`, `Name some of ${Object.keys(checks).join(', ')}.`)
const waiting = Object.entries(checks).filter(([name]) => named.length === 0 || named.includes(name))

/** Runs a check to its end, and prints whether it failed and what it printed. */
function run([name, command]: [string, string]): Promise<void> {
  return new Promise((ended) => {
    exec(command, { cwd: project, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      console.log(`${error ? 'failed' : 'passed'}  ${name}: ${command}\n${stdout}${stderr}`.trimEnd())
      if (error) process.exitCode = 1
      ended()
    })
  })
}

async function runInTurn(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) await run(next)
}

await Promise.all(Array.from({ length: availableParallelism() }, runInTurn))

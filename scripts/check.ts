/**
 * node scripts/check.ts PREFIX: runs the scripts of package.json whose names begin so, in their order, as many at a time as
 * the machine has cores. Fails when one of them fails.
 */
import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { project } from './development.ts'

const [prefix = ''] = process.argv.slice(2)
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(`${project}package.json`, 'utf8'),
)
const waiting = Object.entries(scripts).filter(([name]) => name.startsWith(prefix))
if (prefix === '' || waiting.length === 0) throw new Error(`No script begins with "${prefix}".`)

/** Runs a script to its end, and prints whether it failed and what it printed. */
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

/**
 * npm run bench -- waits [--rows N --only TEXT]: how long others wait beside costly work on `--rows` rows (100,000): requests of
 * their owner or of an operator, and the job, over rows that are due. Another user lists a folder again and again meanwhile. D1
 * runs one query at a time, so the longest of these answers is the delay.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { project } from '../scripts/development.ts'
import { readArguments, refuse } from '../scripts/usage.ts'
import { attacks, type Work } from './attacks.ts'
import { due, left } from './backlog-rows.ts'
import { bundle } from './bundle.ts'
import { runtimeCpuMs } from './processor.ts'
import { scratchFolder } from './scratch.ts'
import { type Database, idle, type Runtime, serve } from './serve.ts'
import { tokenOf } from './token.ts'
import { plantTree } from './tree.ts'

const usage = `npm run bench -- waits [--rows 100000 --only PART_OF_A_TITLE]: how long others wait beside costly work on so many rows
  --rows 1000000 --only job: a week of work for the job at once. Fails when a run sends too many queries or rows are left`
const { values } = readArguments(usage, {
  rows: { type: 'string', default: '100000' },
  only: { type: 'string', default: '' },
})
const rows = Number(values.rows)
if (!Number.isInteger(rows) || rows < 10) refuse('--rows takes a whole number of at least 10.', usage)

/** The time limit of a request. */
const LONGEST_MS = 30_000
/** The most queries that a run of the job may send, and the janitor's pause between two runs. */
const [MOST_QUERIES, BETWEEN_MS] = [800, 1_000]

/** The report of a run of the job. */
interface Report {
  queries: number
  calls: number
  failed?: string[]
  has_backlog?: true
}

const works = [...attacks, { title: 'the job removes rows that are due, over all its tasks', seed: fallDue }]
const chosen = works.filter(({ title }) => title.includes(values.only))
if (chosen.length === 0) refuse(`No work has "${values.only}" in its title.`, usage)

const scratch = scratchFolder('waits')
console.error('Bundling the service …')
const alias = [`./service.js:${project}src/index.ts`]
const service = await bundle('bench/waits-worker.ts', join(scratch, 'service'), alias)
console.log(
  '| what | requests | took, ms | CPU, ms | others waited, ms: median, 99th percentile, most | the database grew, KiB |',
)
console.log('|---|---|---|---|---|---|')
for (const [i, work] of chosen.entries()) {
  // A new runtime for each: one that is still busy with the previous work would distort the measurement.
  const sources = { service, ...idle }
  const runtime = await serve(sources, join(scratch, `state-${i}`), 1, undefined, work.variables)
  await plantTree(runtime.database)
  await measure(runtime, work).finally(() => runtime.stop())
}

async function measure({ database, addressOf }: Runtime, { title, seed }: Work): Promise<void> {
  const [owner, stranger] = [crypto.randomUUID(), crypto.randomUUID()]
  console.error(`Seeding: ${title} …`)
  const requests = await seed(database, owner, rows)
  const address = await addressOf('service')
  const send = async (user: string, path: string, init: RequestInit = {}, scope?: string) => {
    const headers = { ...init.headers, Authorization: `Bearer ${await tokenOf(user, scope)}` }
    const signal = AbortSignal.timeout(LONGEST_MS)
    try {
      const response = await fetch(`${address}${path}`, { ...init, headers, signal })
      await response.arrayBuffer()
      return response.status
    } catch {
      return `none in ${LONGEST_MS / 1_000} s`
    }
  }
  const size = async () => (await database.prepare('SELECT 1').run()).meta.size_after ?? 0
  await send(stranger, '/v1/files')

  const waits: number[] = []
  let isOver = false
  const bystander = (async () => {
    while (!isOver) {
      const began = performance.now()
      await send(stranger, '/v1/files')
      waits.push(performance.now() - began)
      if (requests.length === 0) await sleep(5) // leaves the job the time that it needs
    }
  })()
  const [sizeBefore, cpuBefore, began] = [await size(), runtimeCpuMs() ?? Number.NaN, performance.now()]
  const statuses = await Promise.all(
    requests.map(({ path, scope, as = owner, ...init }) => send(as, path, init, scope)),
  )
  const sent =
    requests.length > 0
      ? `${requests.length} (${[...new Set(statuses)].join(', ')})`
      : await drain(address, database)
  const took = performance.now() - began
  isOver = true
  await bystander
  const cpu = (runtimeCpuMs() ?? Number.NaN) - cpuBefore
  const grown = ((await size()) - sizeBefore) / 1024
  console.log(
    `| ${title} | ${sent} | ${took.toFixed(0)} | ${cpu.toFixed(0)} | ${percentilesOf(waits)} | ${grown.toFixed(0)} |`,
  )
}

async function fallDue(database: Database, _owner: string, count: number): Promise<[]> {
  for (const { statements } of due(count))
    for (const [statement, ...bound] of statements)
      await database
        .prepare(statement)
        .bind(...bound)
        .run()
  return []
}

/**
 * Runs the job until nothing is due, and says in how many runs.
 *
 * @throws Error when a task fails, a run sends too many queries, or rows are left
 */
async function drain(address: string, database: Database): Promise<string> {
  const before = await left(database)
  const reports: Report[] = []
  do {
    const response = await fetch(`${address}/run-the-job`, { signal: AbortSignal.timeout(600_000) })
    const report: Report = JSON.parse(await response.text())
    if (report.failed) throw new Error(`failed: ${report.failed}`)
    reports.push(report)
    await sleep(BETWEEN_MS)
  } while (reports.at(-1)?.has_backlog)
  const [queries, calls] = [reports.map((run) => run.queries), reports.map((run) => run.calls)]
  const [most, after] = [Math.max(...queries), await left(database)]
  if (most > MOST_QUERIES || after > 0) throw new Error(`${most} queries in a run; ${after} rows are left`)
  return `${reports.length} runs for ${before} rows, at most ${most} queries and ${Math.max(...calls)} calls a run`
}

function percentilesOf(waits: number[]): string {
  const sorted = waits.toSorted((one, other) => one - other)
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(0)
  return `${at(0.5)}, ${at(0.99)}, ${at(1)} (${sorted.length} lists)`
}

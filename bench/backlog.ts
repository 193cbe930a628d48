/**
 * npm run bench -- backlog [--rows N]: gives the job a week of work at once. Seeds `--rows` rows (1,000,000) that are due, over
 * all tasks, and runs the job until none is left, while another user lists a folder again and again. Fails when a run sends
 * too many queries, a task fails, or rows are left.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { due, left } from './backlog-rows.ts'
import { bundle, project } from './bundle.ts'
import { scratchFolder } from './scratch.ts'
import { idle, serve } from './serve.ts'
import { tokenOf } from './token.ts'
import { plantTree, USER } from './tree.ts'

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const rows = Number(values.rows)
/** The most queries that a run may send, and the janitor's pause between two runs. */
const [MOST_QUERIES, BETWEEN_MS] = [800, 1_000]

interface Report {
  queries: number
  calls: number
  failed?: string[]
  has_backlog?: true
}

const scratch = scratchFolder('backlog')

console.error('Bundling the service …')
const alias = [`./service.js:${project}src/index.ts`]
const service = await bundle('bench/backlog-worker.ts', join(scratch, 'service'), alias)
const sources = { service, ...idle }
const runtime = await serve(sources, join(scratch, 'state'))
try {
  await plantTree(runtime.database)
  for (const { title, rows: count, statements } of due(rows)) {
    console.error(`Seeding ${count} rows: ${title} …`)
    for (const [statement, ...bound] of statements)
      await runtime.database
        .prepare(statement)
        .bind(...bound)
        .run()
  }
  await prove(await runtime.addressOf('service'))
} finally {
  await runtime.stop()
}

async function prove(address: string): Promise<void> {
  const token = await tokenOf(USER)
  const waits: number[] = []
  const list = async () => {
    const began = performance.now()
    const response = await fetch(`${address}/v1/files?limit=10`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`the list answered ${response.status}`)
    waits.push(performance.now() - began)
  }
  for (let i = 0; i < 300; i++) await list()
  console.log(`without the job: a list took ${percentilesOf(waits.splice(0))}`)

  let isOver = false
  const others = (async () => {
    while (!isOver) {
      await list()
      await new Promise((later) => setTimeout(later, 5))
    }
  })()
  const before = await left(runtime.database)
  const reports: Report[] = []
  const began = performance.now()
  do {
    const response = await fetch(`${address}/run-the-job`, { signal: AbortSignal.timeout(600_000) })
    const report: Report = JSON.parse(await response.text())
    reports.push(report)
    console.error(JSON.stringify(report))
    if (report.failed) throw new Error(`failed: ${report.failed}`)
    await new Promise((later) => setTimeout(later, BETWEEN_MS))
  } while (reports.at(-1)?.has_backlog)
  const seconds = (performance.now() - began) / 1_000
  isOver = true
  await others
  const after = await left(runtime.database)
  const most = Math.max(...reports.map(({ queries }) => queries))
  console.log(
    `${before} rows drained in ${reports.length} runs and ${seconds.toFixed(0)} s: ${Math.round((before / seconds) * 3_600)} rows an hour`,
  )
  console.log(`the most queries in a run: ${most}; calls: ${Math.max(...reports.map(({ calls }) => calls))}`)
  console.log(`beside the job: a list took ${percentilesOf(waits)}`)
  if (most > MOST_QUERIES || after > 0) throw new Error(`${most} queries in a run; ${after} rows are left`)
}

function percentilesOf(waits: number[]): string {
  const sorted = waits.sort((one, other) => one - other)
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(0)
  return `${at(0.5)} ms in the median, ${at(0.99)} in the 99th percentile, ${at(1)} at most (${sorted.length} lists)`
}

/**
 * npm run bench -- account [--rows N --only TEXT]: how long one account can delay the others. Each line seeds an account of
 * `--rows` rows (100,000) and sends costly requests of its owner or an operator, while another user lists a small folder again
 * and again. D1 runs one query at a time, so the longest of these answers is the delay.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Attack, attacks } from './attacks.ts'
import { bundle } from './bundle.ts'
import { runtimeCpuMs } from './processor.ts'
import { scratchFolder } from './scratch.ts'
import { idle, type Runtime, serve } from './serve.ts'
import { tokenOf } from './token.ts'
import { plantTree } from './tree.ts'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, only: { type: 'string', default: '' } },
})
/** The time limit of a request. */
const LONGEST_MS = 30_000
const NO_ANSWER = `none in ${LONGEST_MS / 1_000} s`

const rows = Number(values.rows)
if (!Number.isInteger(rows) || rows < 10) {
  console.error(
    'Usage: npm run bench -- account [--rows N (a whole number, at least 10) --only PART_OF_A_TITLE]',
  )
  process.exit(2)
}

const scratch = scratchFolder('account')

console.error('Bundling the service …')
const service = await bundle('src/index.ts', join(scratch, 'service'))
console.log('| what | requests | took, ms | CPU, ms | others waited, ms | the database grew, KiB |')
console.log('|---|---|---|---|---|---|')
for (const [i, attack] of attacks.filter(({ title }) => title.includes(values.only)).entries()) {
  // A new runtime for each attack: one that is still busy with the previous attack would distort the measurement.
  const sources = { service, ...idle }
  const runtime = await serve(sources, join(scratch, `state-${i}`), 1, undefined, attack.variables)
  await plantTree(runtime.database)
  await measure(runtime, attack).finally(() => runtime.stop())
}

async function measure({ database, addressOf }: Runtime, attack: Attack): Promise<void> {
  const [owner, stranger] = [crypto.randomUUID(), crypto.randomUUID()]
  console.error(`Seeding: ${attack.title} …`)
  const requests = await attack.seed(database, owner, rows)
  const address = await addressOf('service')
  const send = async (user: string, path: string, init: RequestInit = {}, scope?: string) => {
    const headers = { ...init.headers, Authorization: `Bearer ${await tokenOf(user, scope)}` }
    const signal = AbortSignal.timeout(LONGEST_MS)
    try {
      const response = await fetch(`${address}${path}`, { ...init, headers, signal })
      await response.arrayBuffer()
      return response.status
    } catch {
      return NO_ANSWER
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
    }
  })()
  const [sizeBefore, cpuBefore, began] = [await size(), runtimeCpuMs() ?? Number.NaN, performance.now()]
  const statuses = await Promise.all(
    requests.map(({ path, scope, as = owner, ...init }) => send(as, path, init, scope)),
  )
  const took = performance.now() - began
  isOver = true
  await bystander
  const cpu = (runtimeCpuMs() ?? Number.NaN) - cpuBefore
  const grown = ((await size()) - sizeBefore) / 1024
  const distinctStatuses = [...new Set(statuses)].join(', ')
  const longest = Math.max(0, ...waits)
  console.log(
    `| ${attack.title} | ${requests.length} (${distinctStatuses}) | ${took.toFixed(0)} | ${cpu.toFixed(0)} | ${longest.toFixed(0)} | ${grown.toFixed(0)} |`,
  )
}

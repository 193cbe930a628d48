/**
 * npm run bench:uploads [-- --rounds N --parallel N --rtt MS,MS --port N]: measures small content in one request beside the same
 * content in three (`POST /v1/uploads`, PUT to storage, completion), with the typed client on the local server. The two take
 * turns. `--rtt`: the milliseconds that each round trip to the service and to storage takes in addition.
 */
import { parseArgs } from 'node:util'
import { type Client, createClient } from '#client'
import { type Server, serverOn } from '../scripts/demo/server.ts'
import { developmentToken } from '../scripts/development.ts'
import { delayed } from './delayed.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    parallel: { type: 'string', default: '6' },
    rtt: { type: 'string', default: '0,50' },
    port: { type: 'string', default: '8792' },
  },
})
const [rounds = 0, parallel = 0, port = 0] = [values.rounds, values.parallel, values.port].map(Number)
const roundTrips = values.rtt.split(',').map(Number)
if (!rounds || !parallel || !port || roundTrips.some(Number.isNaN)) {
  console.error('Usage: npm run bench:uploads [-- --rounds N --parallel N --rtt MS,MS --port N]')
  process.exit(2)
}

const KIB = 1_024
const FILES = 50

/** An application that asks for the id to resume with gets an upload, which takes three requests. */
const inThree = { onStarted: () => {} }
const inOne = {}
type Way = typeof inThree | typeof inOne

interface Task {
  title: string
  run: (client: Client, way: Way) => Promise<unknown>
}

const tasks: Task[] = [
  {
    title: `${FILES} files of 8 bytes, ${parallel} at a time`,
    run: (client, way) => several(client, 8, way),
  },
  { title: 'one file of 64 KiB', run: (client, way) => one(client, 64 * KIB, way) },
  { title: 'one file of 1 MiB', run: (client, way) => one(client, KIB * KIB, way) },
]

let server: Server | undefined
try {
  server = await serverOn(
    port,
    () => console.error('Starting a server …'),
    (starting) => {
      server = starting
    },
  )
  const heads = ['upload', 'round trip, ms', 'one request, ms', 'three requests, ms', 'ratio']
  console.log(`Each cell: the least of ${rounds} rounds, and the median.\n\n| ${heads.join(' | ')} |`)
  console.log(`|${' --- |'.repeat(heads.length)}`)
  for (const rtt of roundTrips) {
    const line = await delayed(server.origin, rtt / 2)
    for (const task of tasks) console.log(await measured(line.origin, rtt, task))
    line.close()
  }
} finally {
  await server?.stop()
}

/** A line of the table. Each round is a new user's, who has no files; the first round of each way is not counted. */
async function measured(origin: string, rtt: number, { title, run }: Task): Promise<string> {
  const times = { one: [] as number[], three: [] as number[] }
  for (let round = 0; round <= rounds; round++)
    for (const way of round % 2 ? (['one', 'three'] as const) : (['three', 'one'] as const)) {
      const token = await developmentToken(`bench-${crypto.randomUUID()}`)
      const client = createClient({ baseUrl: origin, token })
      await client.quota.get() // the connection is open
      const began = performance.now()
      await run(client, way === 'one' ? inOne : inThree)
      if (round > 0) times[way].push(performance.now() - began)
    }
  const least = (all: number[]) => Math.min(...all)
  const shown = (all: number[]) => `${least(all).toFixed(0)}, ${median(all).toFixed(0)}`
  const ratio = (of: (all: number[]) => number) => (of(times.one) / of(times.three)).toFixed(2)
  return `| ${title} | ${rtt} | ${shown(times.one)} | ${shown(times.three)} | ${ratio(least)}, ${ratio(median)} |`
}

function one(client: Client, size: number, way: Way): Promise<unknown> {
  return client.files.upload({ content: new Uint8Array(size).fill(7), name: 'save.bin' }, way)
}

/** Uploads FILES files, `parallel` at a time. */
async function several(client: Client, size: number, way: Way): Promise<unknown> {
  let left = FILES
  const next = async () => {
    while (left-- > 0) await one(client, size, way)
  }
  return Promise.all(Array.from({ length: parallel }, next))
}

function median(all: number[]): number {
  const sorted = all.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return ((sorted[middle] ?? 0) + (sorted[sorted.length - 1 - middle] ?? 0)) / 2
}

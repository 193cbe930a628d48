/**
 * npm run bench:batches [-- --rounds N --rtt MS,MS]: measures publications to 100 users with a socket each, in one request of
 * `POST /v1/notifications/batch` and in single ones, side by side in workerd. They take turns. `--rtt`: the milliseconds that
 * each round trip of the publisher to the service takes in addition.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from './bundle.ts'
import { delayed } from './delayed.ts'
import { keptAlive, type Listener, listen } from './inbox-clients.ts'
import { migrate } from './planting.ts'
import { runtimeCpuMs } from './processor.ts'
import { scratchFolder } from './scratch.ts'
import { idle, serve } from './serve.ts'
import { tokenOf } from './token.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, rtt: { type: 'string', default: '0,50' } },
})
const rounds = Number(values.rounds)
const roundTrips = values.rtt.split(',').map(Number)
if (!Number.isInteger(rounds) || rounds < 1 || roundTrips.some(Number.isNaN)) {
  console.error('Usage: npm run bench:batches [-- --rounds N --rtt MS,MS]')
  process.exit(2)
}

const USERS = 100
/** How many times each user is published to in a turn. */
const BATCHES = 3

const message = { type: 'shop.gift', data: { gift_id: 'golden-sword' } }

interface Way {
  title: string
  /** Publishes to all users once. */
  publish: (origin: string, user_ids: readonly string[]) => Promise<unknown>
}

interface Turn {
  /** Recipients a second. */
  rate: number
  /** The runtime's CPU time a recipient; undefined where it can't be read. */
  cpuMs: number | undefined
  /** Until the median socket has received its event, after the first request was sent. */
  receivedMs: number
}

const scratch = scratchFolder('batches')
console.error('Bundling the service …')
const service = await bundle('src/index.ts', join(scratch, 'service'))
const runtime = await serve({ service, ...idle }, join(scratch, 'state'))
await migrate(runtime.database) // publishing reads the announcements there
const origin = await runtime.addressOf('service')
const publisher = await tokenOf('bench-publisher', 'notifications:publish')

const ways: Way[] = [
  {
    title: 'one batch of 100',
    publish: (origin, user_ids) =>
      keptAlive(origin, publisher, 'POST', '/v1/notifications/batch', { user_ids, ...message }),
  },
  { title: '100 single ones, ten at once', publish: (origin, user_ids) => single(origin, user_ids, 10) },
  { title: '100 single ones, one after another', publish: (origin, user_ids) => single(origin, user_ids, 1) },
]

try {
  console.log(`The medians of ${rounds} rounds, and in parentheses the least and the greatest.\n`)
  console.log(
    '| publications to 100 users | round trip, ms | recipients/s | of a batch, times | CPU ms a recipient | ms to received |',
  )
  console.log(`|${' --- |'.repeat(6)}`)
  for (const rtt of roundTrips) {
    const line = await delayed(origin, rtt / 2)
    await compare(line.origin, rtt)
    line.close()
  }
} finally {
  await runtime.stop()
}

async function compare(near: string, rtt: number): Promise<void> {
  const user_ids = Array.from({ length: USERS }, () => `bench-${crypto.randomUUID()}`)
  const listeners: Listener[] = []
  for (const user_id of user_ids) listeners.push(await listen(origin, await tokenOf(user_id)))
  const turns = new Map<Way, Turn[]>(ways.map((way) => [way, []]))
  for (let round = 0; round <= rounds; round++)
    for (const way of round % 2 ? ways : ways.toReversed()) {
      const turn = await measured(way, near, user_ids, listeners)
      if (round > 0) turns.get(way)?.push(turn)
    }
  for (const listener of listeners) listener.close()
  const [batches = []] = turns.values()
  for (const [{ title }, taken] of turns) {
    const times = taken.map(({ rate }, round) => (batches[round]?.rate ?? Number.NaN) / rate)
    const figures = [
      spread(
        taken.map(({ rate }) => rate),
        0,
      ),
      spread(times, 2),
      spread(
        taken.map(({ cpuMs = Number.NaN }) => cpuMs),
        2,
      ),
      spread(
        taken.map(({ receivedMs }) => receivedMs),
        1,
      ),
    ]
    console.log(`| ${title} | ${rtt} | ${figures.join(' | ')} |`)
  }
}

/** BATCHES times all users, in one way. */
async function measured(
  way: Way,
  near: string,
  user_ids: readonly string[],
  listeners: Listener[],
): Promise<Turn> {
  const received: number[] = []
  const cpuBefore = runtimeCpuMs()
  const began = performance.now()
  for (let batch = 0; batch < BATCHES; batch++) {
    const sent = performance.now()
    const events = listeners.map(async (listener) => {
      await listener.next()
      received.push(performance.now() - sent)
    })
    await way.publish(near, user_ids)
    await Promise.all(events)
  }
  const recipients = BATCHES * user_ids.length
  const rate = (recipients * 1_000) / (performance.now() - began)
  const cpuAfter = runtimeCpuMs()
  const cpuMs =
    cpuBefore === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpuBefore) / recipients
  return { rate, cpuMs, receivedMs: median(received) }
}

async function single(origin: string, user_ids: readonly string[], atOnce: number): Promise<void> {
  const left = user_ids.values()
  const next = async () => {
    for (const user_id of left)
      await keptAlive(origin, publisher, 'POST', '/v1/notifications', { user_id, ...message })
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}

function spread(figures: readonly number[], digits: number): string {
  if (figures.some(Number.isNaN)) return '–'
  const [least, greatest] = [Math.min(...figures), Math.max(...figures)]
  return `${median(figures).toFixed(digits)} (${least.toFixed(digits)}–${greatest.toFixed(digits)})`
}

function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

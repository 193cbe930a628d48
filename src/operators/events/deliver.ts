import type { SQL } from 'drizzle-orm'
import type { Message } from '../../platform/config/message.ts'
import type { Config } from '../../platform/config/variables.ts'
import { logError } from '../../platform/lib/log.ts'
import { CONNECTIONS, pooled } from '../../platform/lib/pool.ts'
import { DAY, HOUR, MINUTE } from '../../platform/lib/time-units.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { type Claimed, claim, type Failed, pause, settle } from './outbox.ts'
import { POST_TIMEOUT_MS, type Refusal, type signedPost } from './signed-post.ts'

/** What a delivery may use. `now_ms` tells the time, because a delivery takes a while. */
export interface DeliveryContext {
  databases: Databases
  config: Config
  /** The queue of events; undefined when there is none, and nothing is to be delivered. */
  queue: { send: (message: Message, options: QueueSendOptions) => Promise<unknown> } | undefined
  now_ms: () => number
  post: typeof signedPost
}

/** An event that a claim has looked at. */
type Looked = Claimed & { is_claimed: 0 | 1 }

interface Receiver {
  url: string
  secrets: readonly string[]
}

/** What a delivery has done. */
export interface Delivered {
  delivered: number
  failed: number
  parked: number
}

/** How many events a round claims: in the time of the claim, all of them can time out. */
const ROUND = 4 * CONNECTIONS

/** How long a claim holds, in seconds: the round, and some time to record what became of it. */
const CLAIM = (ROUND / CONNECTIONS) * (POST_TIMEOUT_MS / 1_000) + 30

/** After this many milliseconds a delivery begins no other round, and leaves what is due to the next one. */
const LONG_ENOUGH_MS = MINUTE * 1_000

/** The pauses after the first attempts, in seconds; from then on the last one. Each is up to a tenth longer. */
const PAUSES = [5, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR]
const JITTER = 0.1

/** When an event is parked: this long after it happened, in seconds, and after at least so many attempts. */
const GIVE_UP_AFTER = 3 * DAY
const LEAST_ATTEMPTS = PAUSES.length - 1

/**
 * Sends the events of a database that are due, each signed, to WEBHOOK_URL: at least once, and those of one thing in their
 * order. Ends when nothing is due, when all of a round has failed, or after a minute, and then sends the queue a message for
 * what is left. It may be interrupted anywhere, and any number of deliveries may run at once.
 *
 * @throws UNAVAILABLE
 */
export async function deliver(ctx: DeliveryContext, name: string): Promise<Delivered> {
  const { WEBHOOK_URL, WEBHOOK_SECRET, JOB_CALLS } = ctx.config
  const sum = { delivered: 0, failed: 0, parked: 0 }
  if (WEBHOOK_URL === undefined || WEBHOOK_SECRET === undefined) return sum
  const receiver = { url: WEBHOOK_URL, secrets: WEBHOOK_SECRET }
  const began_ms = ctx.now_ms()
  const retries: number[] = []
  const wakes: number[] = []
  for (let rounds = 1; ; rounds++) {
    if (ctx.now_ms() - began_ms >= LONG_ENOUGH_MS || rounds * ROUND > JOB_CALLS) {
      wakes.push(secondsNow(ctx))
      break
    }
    const until = secondsNow(ctx) + CLAIM
    const looked = await claimUntil(ctx, name, until)
    if (looked.length === 0) break
    const claimed = looked.filter(({ is_claimed }) => is_claimed === 1)
    const { delivered, failed } = await sendAll(ctx, receiver, claimed, until)
    const haveAllFailed = failed.length > 0 && delivered.length === 0
    const isFew = failed.length < CONNECTIONS
    const now = secondsNow(ctx)
    const outcome = settle(ctx.databases, name, { now, until, delivered, failed })
    const pausedUntil = await record(ctx, name, outcome, haveAllFailed ? pause(now, { isFew }) : undefined)
    const parked = failed.filter(({ next_at }) => next_at === null)
    sum.delivered += delivered.length
    sum.failed += failed.length
    sum.parked += parked.length
    retries.push(...failed.flatMap(({ next_at }) => next_at ?? []))
    // A few may have failed for their own sake, with everything else of the round behind them: others may be due.
    if (haveAllFailed && !(isFew && pausedUntil === undefined)) {
      // The events that were behind them are due.
      if (parked.length > 0) wakes.push(pausedUntil ?? now)
      if (!isFew && pausedUntil !== undefined) wakes.push(pausedUntil)
      break
    }
  }
  if (retries.length > 0) wakes.push(Math.min(...retries))
  await wakeAt(ctx, name, wakes)
  return sum
}

async function claimUntil(
  { databases, now_ms }: DeliveryContext,
  name: string,
  until: number,
): Promise<Looked[]> {
  const now = secondsNow({ now_ms })
  const statement = claim(databases, name, { now, until, most: ROUND, probe: CONNECTIONS })
  const [looked] = await databases.unfenced(name).send([statement])
  return looked
}

/** Sends events, some at the same time. One whose claim would end during its attempt is left to the next delivery. */
async function sendAll(
  ctx: DeliveryContext,
  { url, secrets }: Receiver,
  claimed: readonly Claimed[],
  until: number,
): Promise<{ delivered: string[]; failed: Failed[] }> {
  const delivered: string[] = []
  const failed: Failed[] = []
  await pooled(claimed, async (event) => {
    const timestamp = secondsNow(ctx)
    if (timestamp + POST_TIMEOUT_MS / 1_000 >= until) return
    const refusal = await ctx.post(url, secrets, { id: event.id, timestamp, body: bodyOf(event) })
    if (refusal) failed.push(failureOf(event, refusal, secondsNow(ctx)))
    else delivered.push(event.id)
  })
  return { delivered, failed }
}

/** The body as receivers get it (docs/events.md), the same in every attempt. */
function bodyOf({ type, created_at, data }: Claimed): string {
  const timestamp = new Date(created_at * 1_000).toISOString()
  return `{"type":${JSON.stringify(type)},"timestamp":"${timestamp}","data":${data}}`
}

function failureOf(event: Claimed, refusal: Refusal, now: number): Failed {
  const next_at = nextAttempt(event, refusal, now)
  if (next_at === null) {
    const { id, type } = event
    logError('an event is parked', { id, type, error: refusal.reason })
  }
  return { id: event.id, error: refusal.reason, next_at }
}

/** When the next attempt of an event may begin, in Unix seconds; null when there is none. */
function nextAttempt(
  { created_at, attempts }: Claimed,
  { retry_after }: Refusal,
  now: number,
): number | null {
  const end = created_at + GIVE_UP_AFTER
  if (now >= end && attempts >= LEAST_ATTEMPTS) return null
  const [shortest = 0] = PAUSES
  const longest = PAUSES.at(-1) ?? 0
  const planned = (PAUSES[attempts - 1] ?? longest) * (1 + Math.random() * JITTER)
  const pause = retry_after === undefined ? planned : Math.min(Math.max(retry_after, shortest), longest)
  const next_at = Math.ceil(now + pause)
  // So the last attempt comes when the time is over, and not up to six hours later.
  return now < end ? Math.min(next_at, end) : next_at
}

/** Records what became of a round. Returns until when nothing is sent, if this round has begun a pause. */
async function record(
  { databases }: DeliveryContext,
  name: string,
  outcome: SQL[],
  pauses: SQL<{ until: number }> | undefined,
): Promise<number | undefined> {
  const session = databases.unfenced(name)
  if (pauses) {
    const [[row]] = await session.send([pauses, ...outcome])
    return row?.until
  }
  if (outcome.length > 0) await session.send(outcome)
  return undefined
}

/** Sends the queue a message for each of these times. A lost one is made good by the job. */
async function wakeAt(
  { queue, now_ms }: DeliveryContext,
  database: string,
  times: readonly number[],
): Promise<void> {
  const now = secondsNow({ now_ms })
  try {
    for (const time of new Set(times))
      await queue?.send({ kind: 'events', database }, { delaySeconds: Math.max(0, time - now) })
  } catch (error) {
    logError('the delivery was not woken', { database, error: String(error) })
  }
}

function secondsNow({ now_ms }: Pick<DeliveryContext, 'now_ms'>): number {
  return Math.floor(now_ms() / 1_000)
}

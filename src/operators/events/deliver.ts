import type { SQL } from 'drizzle-orm'
import type { Message } from '../../platform/config/message.ts'
import type { Config } from '../../platform/config/variables.ts'
import { logError } from '../../platform/lib/log.ts'
import { CONNECTIONS, pooled } from '../../platform/lib/pool.ts'
import { DAY, HOUR, MINUTE } from '../../platform/lib/units.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { type Claimed, claim, type Failed, pause, settle } from './outbox.ts'
import { POST_TIMEOUT_MS, type Refusal, type signedPost } from './signed-post.ts'

/** Everything that a delivery may use. `now_ms` is a clock, because a delivery takes up to a minute. */
export interface DeliveryContext {
  databases: Databases
  config: Config
  /** The queue EVENTS; undefined when none is bound, as without WEBHOOK_URL. */
  queue: { send: (message: Message, options: QueueSendOptions) => Promise<unknown> } | undefined
  now_ms: () => number
  post: typeof signedPost
}

/** An event that a claim has changed: claimed, or deferred behind an earlier event of its resource. */
type Considered = Claimed & { is_claimed: 0 | 1 }

interface Receiver {
  url: string
  secrets: readonly string[]
}

/** How many events a delivery has sent, and how many attempts failed or were the last ones. */
export interface Delivered {
  delivered: number
  failed: number
  parked: number
}

/** How many events a round claims. A claim lasts long enough for all of them to time out. */
const ROUND = 4 * CONNECTIONS

/** How long a claim lasts: the longest round, and 30 s to record its outcome. */
const CLAIM_SECONDS = (ROUND / CONNECTIONS) * (POST_TIMEOUT_MS / 1_000) + 30

/** A delivery begins no further round after this time, and leaves due events to the next delivery. */
const MAX_DURATION_MS = MINUTE * 1_000

/** The pauses after the first, second, … attempt, in seconds; the last one repeats. Each is extended by up to JITTER. */
const PAUSES = [5, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR]
const JITTER = 0.1

/** An event is parked once it is this old and has had at least this many attempts. */
const PARK_AFTER_SECONDS = 3 * DAY
const MIN_ATTEMPTS = PAUSES.length - 1

/**
 * Sends the due events of a database, signed, to WEBHOOK_URL: each at least once, and the events of one resource in order.
 * Ends when no event is due, when a whole round has failed, or after a minute. Then queues a message for the events that are
 * left. May be interrupted anywhere, and any number of deliveries may run at once.
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
    if (ctx.now_ms() - began_ms >= MAX_DURATION_MS || rounds * ROUND > JOB_CALLS) {
      wakes.push(secondsNow(ctx))
      break
    }
    const until = secondsNow(ctx) + CLAIM_SECONDS
    const considered = await claimUntil(ctx, name, until)
    if (considered.length === 0) break
    const claimed = considered.filter(({ is_claimed }) => is_claimed === 1)
    const { delivered, failed } = await sendAll(ctx, receiver, claimed, until)
    const haveAllFailed = failed.length > 0 && delivered.length === 0
    const isFew = failed.length < CONNECTIONS
    const now = secondsNow(ctx)
    const outcome = settle(name, { now, until, delivered, failed })
    const pausedUntil = await record(ctx, name, outcome, haveAllFailed ? pause(now, { isFew }) : undefined)
    const parked = failed.filter(({ next_at }) => next_at === null)
    sum.delivered += delivered.length
    sum.failed += failed.length
    sum.parked += parked.length
    retries.push(...failed.flatMap(({ next_at }) => next_at ?? []))
    // A few failures may be due to the events themselves, so the next round tries others.
    if (haveAllFailed && !(isFew && pausedUntil === undefined)) {
      // The events behind the parked ones are due now.
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
): Promise<Considered[]> {
  const now = secondsNow({ now_ms })
  const statement = claim(name, { now, until, most: ROUND, probe: CONNECTIONS })
  const [considered] = await databases.unfenced(name).send([statement])
  return considered
}

/** Sends events concurrently. Leaves an event to the next delivery when its claim would end during the attempt. */
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

/** The body of the request to the receiver (docs/events.md), the same in every attempt. */
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

/** The earliest time of an event's next attempt, in Unix seconds; null when the event is to be parked. */
function nextAttempt(
  { created_at, attempts }: Claimed,
  { retry_after }: Refusal,
  now: number,
): number | null {
  const end = created_at + PARK_AFTER_SECONDS
  if (now >= end && attempts >= MIN_ATTEMPTS) return null
  const [shortest = 0] = PAUSES
  const longest = PAUSES.at(-1) ?? 0
  const planned = (PAUSES[attempts - 1] ?? longest) * (1 + Math.random() * JITTER)
  const pause = retry_after === undefined ? planned : Math.min(Math.max(retry_after, shortest), longest)
  const next_at = Math.ceil(now + pause)
  // The last attempt is at `end`, not up to six hours later.
  return now < end ? Math.min(next_at, end) : next_at
}

/** Records the outcome of a round. Returns the end of the pause that the round has begun, in Unix seconds. */
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

/** Queues a message for each of these times (Unix seconds). Never throws: the job replaces lost messages. */
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

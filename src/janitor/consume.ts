import { z } from '@hono/zod-openapi'
import { applyMarks, MARKS_PER_STEP } from '../features/catalogue/tasks.ts'
import { askChecker, checkerOf } from '../operators/checks/ask.ts'
import { type DeliveryContext, deliver } from '../operators/events/deliver.ts'
import { signedPost } from '../operators/events/signed-post.ts'
import { storeQueuedEvents } from '../operators/events/store-queued.ts'
import { configuration } from '../platform/config/configuration.ts'
import type { Env } from '../platform/config/env.ts'
import { isEventType } from '../platform/config/event-names.ts'
import { logError, logInfo } from '../platform/lib/log.ts'
import { pooled } from '../platform/lib/pool.ts'
import { dropFromCache, isExpired, secondsToSlot } from '../platform/pictures/edge-cache.ts'
import { Databases } from '../platform/shards/databases.ts'
import { databasesOf } from '../platform/shards/map.ts'
import { createSigner } from '../platform/storage/presign.ts'

const Received = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('check'), upload_id: z.string() }),
  z.object({ kind: z.literal('events'), database: z.string() }),
  z.object({ kind: z.literal('catalogue'), database: z.string() }),
  z.object({ kind: z.literal('pictures'), tags: z.array(z.string()) }),
  z.object({
    kind: z.literal('notification'),
    event: z.object({
      id: z.string(),
      type: z.string().refine(isEventType),
      resource_id: z.string(),
      data: z.record(z.string(), z.unknown()),
      created_at: z.int(),
    }),
  }),
])

type Received = z.output<typeof Received>

/** A message of the queue, with its parsed body. */
interface Incoming<Kind extends Received['kind']> {
  message: Message
  content: Extract<Received, { kind: Kind }>
}

/** The delay before a failed message is delivered again, in seconds. It doubles with each attempt, up to the maximum. */
const FIRST_DELAY_SECONDS = 10
const MAX_DELAY_SECONDS = 3_600

/**
 * Handles a batch of messages. For the queue CHECKS, it asks the content checker. For the queue EVENTS, it stores events of
 * inboxes in the outbox of their database, then delivers the due events of each database that a message names, and drops ended
 * pictures from `cache`. Failed messages are delivered again.
 */
export async function consume(batch: MessageBatch<unknown>, env: Env, cache?: CacheContext): Promise<void> {
  const { config, problems } = configuration(env)
  if (!config) {
    logError('the queue is not read: the service is not configured', { problems })
    for (const message of batch.messages) putBack(message)
    return
  }
  const databases = new Databases(databasesOf(env), {
    ranges: config.SHARDS,
    timeout_ms: config.CALL_TIMEOUT_MS,
  })
  const checker = checkerOf(env, config)
  await handle(
    { databases, config, queue: env.EVENTS, now_ms: () => Date.now(), post: signedPost },
    batch.messages,
    checker &&
      ((upload_id) =>
        askChecker(
          { databases, config, checker, sign: createSigner(config), now_ms: Date.now() },
          upload_id,
        )),
    cache,
  )
}

/** Asks the checker about an upload. Returns whether the checker took it. */
type Ask = (upload_id: string) => Promise<boolean>

/** Does the work of `consume` with a given context. Acknowledges or puts back each message. Without `ask`, it drops checks. */
export async function handle(
  ctx: DeliveryContext,
  messages: readonly Message[],
  ask?: Ask,
  cache?: CacheContext,
): Promise<void> {
  const incoming = messages.map((message) => ({ message, content: Received.safeParse(message.body).data }))
  // A newer version of the Worker may have sent messages that this version can't parse.
  for (const { message, content } of incoming) if (content === undefined) putBack(message)
  await dropPictures(ctx, ofKind(incoming, 'pictures'), cache)
  await askForChecks(ofKind(incoming, 'check'), ask)
  await applyAll(ctx, ofKind(incoming, 'catalogue'))
  const filled = await storeNotifications(ctx, ofKind(incoming, 'notification'))
  const wakes = Map.groupBy(ofKind(incoming, 'events'), ({ content }) => content.database)
  // Databases take turns, because an invocation has six connections in all.
  for (const database of new Set([...wakes.keys(), ...filled])) {
    const isDone = await attempt(() => deliverIn(ctx, database))
    for (const { message } of wakes.get(database) ?? []) end(message, isDone)
  }
}

/** Drops the pictures of all messages together. Those that the platform does not take are dropped later, while caches may have them. */
async function dropPictures(
  { config, now_ms }: DeliveryContext,
  incoming: readonly Incoming<'pictures'>[],
  cache: CacheContext | undefined,
): Promise<void> {
  if (incoming.length === 0) return
  const texts = incoming.flatMap(({ content }) => content.tags)
  const isDone = !cache || (await dropFromCache({ cache, timeout_ms: config.CALL_TIMEOUT_MS }, texts))
  const delaySeconds = secondsToSlot(now_ms())
  for (const { message } of incoming)
    if (isDone || isExpired(message.timestamp.getTime(), now_ms())) message.ack()
    else message.retry({ delaySeconds })
}

/** Stores events of inboxes in their databases. Returns the names of these databases. */
async function storeNotifications(
  ctx: DeliveryContext,
  incoming: readonly Incoming<'notification'>[],
): Promise<string[]> {
  if (incoming.length === 0) return []
  const names: string[] = []
  const ids = new Set<string>()
  await attempt(async () => {
    const events = incoming.map(({ content }) => content.event)
    for (const stored of await storeQueuedEvents(ctx, events)) {
      names.push(stored.name)
      for (const id of stored.ids) ids.add(id)
    }
  })
  for (const { message, content } of incoming) end(message, ids.has(content.event.id))
  return names
}

async function askForChecks(
  incoming: readonly Incoming<'check'>[],
  ask: Ask = async () => true,
): Promise<void> {
  await pooled(incoming, async ({ message, content }) => {
    let isTaken = false
    const isDone = await attempt(async () => {
      isTaken = await ask(content.upload_id)
    })
    end(message, isDone && isTaken)
  })
}

/** The most steps for the marks of one database: the job takes more. */
const MAX_STEPS = 10

/** Applies the marks of each database that a message names. */
async function applyAll(ctx: DeliveryContext, incoming: readonly Incoming<'catalogue'>[]): Promise<void> {
  for (const [database, some] of Map.groupBy(incoming, ({ content }) => content.database)) {
    const isDone = await attempt(async () => {
      const { databases } = ctx
      if (!databases.names.includes(database)) return
      for (let steps = 0; steps < MAX_STEPS; steps++)
        if ((await applyMarks({ databases, now_ms: ctx.now_ms() }, database)) < MARKS_PER_STEP) return
    })
    for (const { message } of some) end(message, isDone)
  }
}

async function deliverIn(ctx: DeliveryContext, database: string): Promise<void> {
  const began_ms = ctx.now_ms()
  const counts = await deliver(ctx, database)
  if (counts.delivered + counts.failed === 0) return
  logInfo('events were sent', { database, ...counts, ms: ctx.now_ms() - began_ms })
}

function ofKind<Kind extends Received['kind']>(
  incoming: readonly { message: Message; content: Received | undefined }[],
  kind: Kind,
): Incoming<Kind>[] {
  return incoming.flatMap(({ message, content }) => (isOfKind(content, kind) ? [{ message, content }] : []))
}

function isOfKind<Kind extends Received['kind']>(
  content: Received | undefined,
  kind: Kind,
): content is Extract<Received, { kind: Kind }> {
  return content?.kind === kind
}

/** Runs `act` and logs its error. Returns whether `act` succeeded. */
async function attempt(act: () => Promise<void>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? String(error.cause) : undefined
    logError('messages of the queue come again', { error: String(error), cause })
    return false
  }
}

function end(message: Message, isDone: boolean): void {
  if (isDone) message.ack()
  else putBack(message)
}

function putBack(message: Message): void {
  message.retry({
    delaySeconds: Math.min(FIRST_DELAY_SECONDS * 2 ** (message.attempts - 1), MAX_DELAY_SECONDS),
  })
}

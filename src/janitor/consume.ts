import { z } from '@hono/zod-openapi'
import { askChecker } from '../operators/checks/ask.ts'
import { checkerOf } from '../operators/checks/checker.ts'
import { type DeliveryContext, deliver } from '../operators/events/deliver.ts'
import { signedPost } from '../operators/events/signed-post.ts'
import { takeIn } from '../operators/events/take-in.ts'
import { configuration } from '../platform/config/configuration.ts'
import type { Env } from '../platform/config/env.ts'
import { isEventType } from '../platform/config/event-names.ts'
import { logError, logInfo } from '../platform/lib/log.ts'
import { pooled } from '../platform/lib/pool.ts'
import { Databases } from '../platform/shards/databases.ts'
import { databasesOf } from '../platform/shards/map.ts'
import { createSigner } from '../platform/storage/presign.ts'

const Received = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('check'), upload_id: z.string() }),
  z.object({ kind: z.literal('events'), database: z.string() }),
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

/** A message of the queue, and what it says. */
interface Incoming<Kind extends Received['kind']> {
  message: Message
  content: Extract<Received, { kind: Kind }>
}

/** How long a message waits that could not be handled, in seconds: twice as long after each attempt, up to the longest. */
const FIRST_DELAY = 10
const LONGEST_DELAY = 3_600

/**
 * Handles a batch of one queue's messages. Of CHECKS: asks the checker of content. Of EVENTS: puts events of inboxes into the
 * outbox of their database, then delivers what is due in each database that a message names. A message that could not be handled comes again.
 */
export async function consume(batch: MessageBatch<unknown>, env: Env): Promise<void> {
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
  )
}

/** Asks the checker about an upload. Returns whether the checker took it. */
type Ask = (upload_id: string) => Promise<boolean>

/** As `consume`, with a context. Each message is acknowledged or put back. Without `ask`, nobody is asked for checks. */
export async function handle(ctx: DeliveryContext, messages: readonly Message[], ask?: Ask): Promise<void> {
  const incoming = messages.map((message) => ({ message, content: Received.safeParse(message.body).data }))
  // What this version does not know waits for a later one, which has sent it.
  for (const { message, content } of incoming) if (content === undefined) putBack(message)
  await askForChecks(ofKind(incoming, 'check'), ask)
  const filled = await takeInNotifications(ctx, ofKind(incoming, 'notification'))
  const wakes = Map.groupBy(ofKind(incoming, 'events'), ({ content }) => content.database)
  // One after the other, because an invocation has six connections in all.
  for (const database of new Set([...wakes.keys(), ...filled])) {
    const isDone = await attempt(() => deliverIn(ctx, database))
    for (const { message } of wakes.get(database) ?? []) end(message, isDone)
  }
}

/** Puts the events of inboxes into their databases. Returns the names of these. */
async function takeInNotifications(
  ctx: DeliveryContext,
  incoming: readonly Incoming<'notification'>[],
): Promise<string[]> {
  if (incoming.length === 0) return []
  const names: string[] = []
  const ids = new Set<string>()
  await attempt(async () => {
    const events = incoming.map(({ content }) => content.event)
    for (const taken of await takeIn(ctx, events)) {
      names.push(taken.name)
      for (const id of taken.ids) ids.add(id)
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

/** Returns whether it succeeded. */
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
  message.retry({ delaySeconds: Math.min(FIRST_DELAY * 2 ** (message.attempts - 1), LONGEST_DELAY) })
}

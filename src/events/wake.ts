import { sql } from 'drizzle-orm'
import { createMiddleware } from 'hono/factory'
import { type AppEnv, type JobContext, seconds } from '../context.ts'
import type { Message } from './message.ts'

/** After a request that wrote events: wakes their delivery, while the answer is already on its way. */
export const wakesDelivery = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  const { databases } = c.var
  if (databases && databases.eventsIn.size > 0)
    c.executionCtx.waitUntil(wakeDelivery(c.env.EVENTS, databases.eventsIn))
})

/**
 * Sends a message for each of these databases. One that can't be sent costs a delay only: the job sends another.
 */
export async function wakeDelivery(
  queue: Queue<Message> | undefined,
  databases: Iterable<string>,
): Promise<void> {
  const messages = [...databases].map((database) => ({ body: { kind: 'events' as const, database } }))
  try {
    if (messages.length > 0) await queue?.sendBatch(messages)
  } catch (error) {
    console.warn(JSON.stringify({ message: 'the delivery of events was not woken', error: String(error) }))
  }
}

/**
 * Wakes the delivery after a run of the job: where the run wrote events, and in its own database when events are due there.
 * So a message that was lost, or a request that was cut off before it, costs five minutes.
 */
export async function wakeAfterJob(ctx: JobContext, queue: Queue<Message> | undefined): Promise<void> {
  const { db, databases, config } = ctx
  if (config.WEBHOOK_URL === undefined) return
  const due = await db.read(
    sql`SELECT 1 AS due FROM outbox WHERE parked_at IS NULL AND next_at <= ${seconds(ctx)} LIMIT 1`,
  )
  await wakeDelivery(queue, new Set([...databases.eventsIn, ...(due.length > 0 ? [db.name] : [])]))
}

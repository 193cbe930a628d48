import { env } from 'cloudflare:test'
import type { DeliveryContext } from '../../src/operators/events/deliver.ts'
import { signedPost } from '../../src/operators/events/signed-post.ts'
import type { Message } from '../../src/platform/config/message.ts'
import { newId } from '../../src/platform/db/id.ts'
import { contextOf } from './context.ts'
import { everyDatabase, everywhere } from './databases.ts'
import { firstUserId } from './ids.ts'
import type { Receiver } from './receiver.ts'

/** The secret of the tests' receivers. */
export const SECRET = `whsec_${btoa('a secret of the tests, known to no receiver of others')}`

/** An event that waits in an outbox. */
export interface Waiting {
  id: string
  type: string
  resource_id: string
  seq: number
  created_at: number
  attempts: number
  next_at: number
  parked_at: number | null
  last_error: string | null
}

/** A message to a queue, with its delay in seconds. */
interface Sent {
  message: Message
  delay: number
}

/** The context of a delivery to a receiver, and the messages to its queue, which has no consumer. */
export function deliveryTo(receiver: Pick<Receiver, 'url'>, different: Partial<DeliveryContext> = {}) {
  const { config, databases } = contextOf('nobody')
  const sent: Sent[] = []
  const ctx: DeliveryContext = {
    databases,
    config: { ...config, WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: [SECRET] },
    queue: {
      send: async (message, { delaySeconds = 0 }) => {
        sent.push({ message, delay: delaySeconds })
      },
    },
    now_ms: () => Date.now(),
    post: signedPost,
    ...different,
  }
  return { ctx, sent }
}

/** Inserts events about one resource into the first database. Returns their ids, in order. */
export async function seedEvents(
  count: number,
  { resource_id = firstUserId(), created_at = now(), type = 'user.erased' } = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(resource_id))
  await env.DB.prepare(
    `INSERT INTO outbox (id, type, resource_id, seq, data, created_at, next_at)
      SELECT value, ?2, ?3, key + 1, json_object('user_id', ?3, 'number', key + 1), ?4, ?4 FROM json_each(?1)`,
  )
    .bind(JSON.stringify(ids), type, resource_id, created_at)
    .run()
  return ids
}

/** Parks events of the first database at a time, in Unix seconds. */
export async function park(ids: readonly string[], parked_at: number): Promise<void> {
  await env.DB.prepare('UPDATE outbox SET parked_at = ?2 WHERE id IN (SELECT value FROM json_each(?1))')
    .bind(JSON.stringify(ids), parked_at)
    .run()
}

/** Every event that waits or is parked, the oldest first. */
export function outboxRows(): Promise<Waiting[]> {
  return everywhere<Waiting>(
    'SELECT id, type, resource_id, seq, created_at, attempts, next_at, parked_at, last_error FROM outbox ORDER BY id',
  )
}

/** Empties every outbox, ends every pause, and forgets what was dropped. */
export async function emptyOutboxes(): Promise<void> {
  for (const database of everyDatabase)
    await database.batch([
      database.prepare('DELETE FROM outbox'),
      database.prepare(`DELETE FROM progress WHERE task = 'event_pause'`),
      database.prepare('UPDATE outbox_counts SET dropped = 0, dropped_from = NULL, dropped_until = NULL'),
    ])
}

export function now(): number {
  return Math.floor(Date.now() / 1_000)
}

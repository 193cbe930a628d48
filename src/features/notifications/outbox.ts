import type { Message, QueuedEvent } from '../../platform/config/message.ts'
import { newId } from '../../platform/db/id.ts'
import type { EventData } from '../../platform/events/types.ts'
import { hasTables } from '../../platform/lib/durable-object.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { DEFAULT_TIMEOUT_MS, withTimeout } from '../../platform/lib/timeout.ts'
import { HOUR, MINUTE } from '../../platform/lib/units.ts'
import type { Notification } from './schema.ts'

/** The most messages that the queue accepts at once. */
const MESSAGES_PER_BATCH = 100
/** The bounds of the pause before events are sent again, in seconds. The pause is as long as the oldest event has waited. */
const SHORTEST_PAUSE = 5 * MINUTE
const LONGEST_PAUSE = HOUR

/**
 * The events of an inbox for the studio's server (docs/events.md), until the queue has accepted them. An event is written
 * in the transaction of its notification, and removed once the queue has it: after a crash in between it is sent again with
 * the same id. The queue's consumer puts it into the outbox of the user's database.
 */
export class Outbox {
  readonly #storage: DurableObjectStorage
  readonly #queue: Queue<Message> | undefined
  #isSending = false

  constructor(storage: DurableObjectStorage, queue: Queue<Message> | undefined) {
    this.#storage = storage
    this.#queue = queue
  }

  /** Writes `notification.undelivered`, in the transaction that adds the notification. */
  add(user_id: string, { id, type, created_at }: Notification): void {
    const data: EventData<'notification.undelivered'> = { notification_id: id, user_id, type }
    const event: QueuedEvent = {
      id: newId(user_id),
      type: 'notification.undelivered',
      resource_id: id,
      data,
      created_at,
    }
    this.#storage.sql.exec('INSERT INTO outbox (id, event) VALUES (?, ?)', event.id, JSON.stringify(event))
  }

  /** When to try again to send the waiting events, in Unix seconds; undefined when none waits. */
  retryTime(now: number): number | undefined {
    const [oldest] = this.#first(1)
    if (!oldest) return undefined
    return now + Math.min(Math.max(now - oldest.created_at, SHORTEST_PAUSE), LONGEST_PAUSE)
  }

  /** Sends all waiting events, oldest first. Does not throw: events that the queue has not accepted wait for the alarm. */
  async send(): Promise<void> {
    if (this.#isSending || !this.#queue) return
    this.#isSending = true
    try {
      for (
        let events = this.#first(MESSAGES_PER_BATCH);
        events.length > 0;
        events = this.#first(MESSAGES_PER_BATCH)
      ) {
        const messages = events.map((event) => ({ body: { kind: 'notification' as const, event } }))
        await withTimeout(DEFAULT_TIMEOUT_MS, this.#queue.sendBatch(messages))
        this.#remove(events)
      }
    } catch (error) {
      logWarning('events of an inbox wait', { error: String(error) })
    } finally {
      this.#isSending = false
    }
  }

  #first(count: number): QueuedEvent[] {
    if (!hasTables(this.#storage)) return []
    return this.#storage.sql
      .exec<{ event: string }>('SELECT event FROM outbox ORDER BY id LIMIT ?', count)
      .toArray()
      .map(({ event }) => JSON.parse(event))
  }

  #remove(events: QueuedEvent[]): void {
    const ids = JSON.stringify(events.map(({ id }) => id))
    this.#storage.sql.exec('DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))', ids)
  }
}

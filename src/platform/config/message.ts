import type { EventType } from './event-names.ts'

/** An event that is not in an outbox of D1 yet, as a Durable Object sends it. */
export interface QueuedEvent {
  /** The webhook-id. It carries the partition of the database that takes the event. */
  id: string
  type: EventType
  thing_id: string
  data: Record<string, unknown>
  /** Unix seconds. */
  created_at: number
}

/** What the queues EVENTS and CHECKS carry. Messages only wake their receiver: the rows of the databases are what counts. */
export type Message =
  /** Events are waiting in the outbox of this database, named by its binding. */
  | { kind: 'events'; database: string }
  /** An event that is to be put into the outbox of the database of its id. */
  | { kind: 'notification'; event: QueuedEvent }
  /** The content of an upload waits for its check: in CHECKS, and in EVENTS from versions before there was that. */
  | { kind: 'check'; upload_id: string }

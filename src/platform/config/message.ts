import type { EventType } from './event-names.ts'

/** An event that a Durable Object sends to the outbox of a database. */
export interface QueuedEvent {
  /** The webhook-id. Its partition decides which database receives the event. */
  id: string
  type: EventType
  resource_id: string
  data: Record<string, unknown>
  /** Unix seconds. */
  created_at: number
}

/** A message of the queues EVENTS and CHECKS. `events` and `check` only wake a receiver that reads the database. */
export type Message =
  /** Wakes the delivery of the events in the outbox of this database, named by its binding. */
  | { kind: 'events'; database: string }
  /** Applies the marks of a database to the catalogue, after the catalogue did not answer a request. */
  | { kind: 'catalogue'; database: string }
  /** Carries an event to the outbox of the database of its id. */
  | { kind: 'notification'; event: QueuedEvent }
  /** Drops pictures with these tags from the cache in front of the Worker (src/platform/pictures/edge-cache.ts). */
  | { kind: 'pictures'; tags: string[] }
  /** Asks for the check of an upload's content. Releases before the queue CHECKS sent it to EVENTS. */
  | { kind: 'check'; upload_id: string }

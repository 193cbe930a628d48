import { sql } from 'drizzle-orm'
import { askFor } from '../db/ask.ts'
import { type BucketState, isOpenHere, statesOf } from '../db/buckets.ts'
import type { Databases } from '../db/databases.ts'
import { bucketIn } from '../db/id.ts'
import { outbox } from '../db/schema.ts'
import { insert } from '../db/sql.ts'
import type { QueuedEvent } from './message.ts'

/** The events that a database has taken, by their ids. */
interface Taken {
  name: string
  states: BucketState[]
  ids: string[]
}

/**
 * Puts events of Durable Objects into the outboxes of their databases, one trip each. Returns which database has taken
 * which; one whose bucket is just being moved is in none. An event that is there already stays as it is.
 *
 * @throws UNAVAILABLE
 */
export async function takeIn(
  databases: Databases,
  events: readonly QueuedEvent[],
  now: number,
): Promise<Taken[]> {
  const byBucket = Map.groupBy(events, ({ id }) => bucketIn(id))
  return askFor(databases, byBucket.keys(), async (name, buckets) => {
    const listed = sql`json_each(${JSON.stringify(buckets.flatMap((bucket) => byBucket.get(bucket) ?? []))}) AS event`
    const isOpen = isOpenHere(sql`substr(event.value ->> 'id', 21, 3)`, name)
    const row = {
      id: sql`event.value ->> 'id'`,
      type: sql`event.value ->> 'type'`,
      thing_id: sql`event.value ->> 'thing_id'`,
      seq: sql`coalesce((SELECT max(earlier.seq) FROM outbox AS earlier
        WHERE earlier.thing_id = event.value ->> 'thing_id' AND earlier.parked_at IS NULL), 0) + 1`,
      data: sql`event.value -> 'data'`,
      created_at: sql`event.value ->> 'created_at'`,
      next_at: now,
    }
    const [states = [], , taken = []] = await databases
      .link(name)
      .send([
        statesOf(buckets),
        sql`${insert(outbox, row, sql`FROM ${listed} WHERE ${isOpen}`)} ON CONFLICT (id) DO NOTHING`,
        sql`SELECT event.value ->> 'id' AS id FROM ${listed} WHERE ${isOpen}`,
      ])
    return { name, states: states.filter(isState), ids: taken.filter(hasId).map(({ id }) => id) }
  })
}

function isState(row: unknown): row is BucketState {
  return typeof row === 'object' && row !== null && 'bucket' in row
}

function hasId(row: unknown): row is { id: string } {
  return typeof row === 'object' && row !== null && 'id' in row
}

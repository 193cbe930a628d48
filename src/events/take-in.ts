import { sql } from 'drizzle-orm'
import { askFor } from '../db/ask.ts'
import { type BucketState, isOpenHere, statesOf } from '../db/buckets.ts'
import type { Databases } from '../db/databases.ts'
import { bucketIn } from '../db/id.ts'
import type { QueuedEvent } from './message.ts'
import { type EventContext, entryInto, limitsOf } from './record.ts'

/** The events that a database has taken, by their ids. */
interface Taken {
  name: string
  states: BucketState[]
  ids: string[]
}

/**
 * Puts events of Durable Objects into the outboxes of their databases, one trip each. Returns which database has taken
 * which; one whose bucket is just being moved is in none. An event that is there already stays as it is, and one that meets a
 * limit is dropped.
 *
 * @throws UNAVAILABLE
 */
export async function takeIn(
  { databases, config }: Pick<EventContext, 'config'> & { databases: Databases },
  events: readonly QueuedEvent[],
): Promise<Taken[]> {
  const byBucket = Map.groupBy(events, ({ id }) => bucketIn(id))
  return askFor(databases, byBucket.keys(), async (name, buckets) => {
    const listed = sql`json_each(${JSON.stringify(buckets.flatMap((bucket) => byBucket.get(bucket) ?? []))}) AS event`
    const isOpen = isOpenHere(sql`substr(event.value ->> 'id', 21, 3)`, name)
    const member = (name: string) => sql`event.value ->> ${name}`
    const entry = sql`${entryInto} SELECT ${member('id')}, ${member('type')}, ${member('thing_id')}, event.value -> 'data',
      ${member('created_at')}, ${limitsOf({ config }, member('type'))} FROM ${listed} WHERE ${isOpen}`
    const [states = [], , taken = []] = await databases
      .link(name)
      .send([statesOf(buckets), entry, sql`SELECT event.value ->> 'id' AS id FROM ${listed} WHERE ${isOpen}`])
    return { name, states: states.filter(isState), ids: taken.filter(hasId).map(({ id }) => id) }
  })
}

function isState(row: unknown): row is BucketState {
  return typeof row === 'object' && row !== null && 'bucket' in row
}

function hasId(row: unknown): row is { id: string } {
  return typeof row === 'object' && row !== null && 'id' in row
}

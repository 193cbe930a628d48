import { sql } from 'drizzle-orm'
import type { QueuedEvent } from '../../platform/config/message.ts'
import { partitionIn } from '../../platform/db/id.ts'
import { type EventContext, entryInto } from '../../platform/events/record.ts'
import { askFor } from '../../platform/shards/ask.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { isOpenHere, type PartitionState, statesOf } from '../../platform/shards/partitions.ts'

/** The ids of the events that are stored in the database `name`. */
interface Stored {
  name: string
  states: PartitionState[]
  ids: string[]
}

/**
 * Stores queued events of Durable Objects in the outboxes of their databases, with one trip to each. Returns the ids for each
 * database; an event whose partition is being moved is in none of them. An event that is already stored is unchanged. An
 * event beyond a limit is dropped, and its id is returned too.
 *
 * @throws UNAVAILABLE
 */
export async function storeQueuedEvents(
  { databases, config }: Pick<EventContext, 'config'> & { databases: Databases },
  events: readonly QueuedEvent[],
): Promise<Stored[]> {
  const byPartition = Map.groupBy(events, ({ id }) => partitionIn(id))
  return askFor(databases, byPartition.keys(), async (name, partitions) => {
    const listed = sql`json_each(${JSON.stringify(partitions.flatMap((partition) => byPartition.get(partition) ?? []))}) AS event`
    const isOpen = isOpenHere(sql`substr(event.value ->> 'id', 21, 3)`, name)
    const member = (name: string) => sql`event.value ->> ${name}`
    const entry = sql`${entryInto} SELECT ${member('id')}, ${member('type')}, ${member('resource_id')}, event.value -> 'data',
      ${member('created_at')}, ${config.MAX_EVENTS},
      iif(${member('type')} = 'user.erased', NULL, ${config.MAX_EVENTS_PER_USER}) FROM ${listed} WHERE ${isOpen}`
    const [states, , stored] = await databases
      .unfenced(name)
      .send([
        statesOf(partitions),
        entry,
        sql<{ id: string }>`SELECT event.value ->> 'id' AS id FROM ${listed} WHERE ${isOpen}`,
      ])
    return { name, states, ids: stored.map(({ id }) => id) }
  })
}

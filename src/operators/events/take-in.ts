import { sql } from 'drizzle-orm'
import type { QueuedEvent } from '../../platform/config/message.ts'
import { partitionIn } from '../../platform/db/id.ts'
import { type EventContext, entryInto, limitsOf } from '../../platform/events/record.ts'
import { askFor } from '../../platform/shards/ask.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { isOpenHere, type PartitionState, statesOf } from '../../platform/shards/partitions.ts'

/** The events that a database has taken, by their ids. */
interface Taken {
  name: string
  states: PartitionState[]
  ids: string[]
}

/**
 * Puts events of Durable Objects into the outboxes of their databases, one trip each. Returns which database has taken
 * which; one whose partition is just being moved is in none. An event that is there already stays as it is, and one that meets a
 * limit is dropped.
 *
 * @throws UNAVAILABLE
 */
export async function takeIn(
  { databases, config }: Pick<EventContext, 'config'> & { databases: Databases },
  events: readonly QueuedEvent[],
): Promise<Taken[]> {
  const byPartition = Map.groupBy(events, ({ id }) => partitionIn(id))
  return askFor(databases, byPartition.keys(), async (name, partitions) => {
    const listed = sql`json_each(${JSON.stringify(partitions.flatMap((partition) => byPartition.get(partition) ?? []))}) AS event`
    const isOpen = isOpenHere(sql`substr(event.value ->> 'id', 21, 3)`, name)
    const member = (name: string) => sql`event.value ->> ${name}`
    const entry = sql`${entryInto} SELECT ${member('id')}, ${member('type')}, ${member('resource_id')}, event.value -> 'data',
      ${member('created_at')}, ${limitsOf({ config }, member('type'))} FROM ${listed} WHERE ${isOpen}`
    const [states, , taken] = await databases
      .unfenced(name)
      .send([
        statesOf(partitions),
        entry,
        sql<{ id: string }>`SELECT event.value ->> 'id' AS id FROM ${listed} WHERE ${isOpen}`,
      ])
    return { name, states, ids: taken.map(({ id }) => id) }
  })
}

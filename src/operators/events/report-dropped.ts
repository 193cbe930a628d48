import { type SQL, sql } from 'drizzle-orm'
import type { EventType } from '../../platform/config/event-names.ts'
import { type JobContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { outbox } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { isWanted } from '../../platform/events/record.ts'
import type { EventData } from '../../platform/events/types.ts'
import { logError } from '../../platform/lib/log.ts'
import { isAtHome } from '../../platform/shards/homes.ts'
import { isPaused } from './outbox.ts'
import type { OutboxMetrics } from './overview.ts'

const TYPE = 'events.dropped' satisfies EventType

/**
 * Logs that events were dropped, and writes one event `events.dropped` for all of them to the outbox, unless the delivery is
 * paused or an earlier such event is still undelivered. The event also covers drops after `metrics` were read. Returns
 * whether the event was written.
 *
 * @throws UNAVAILABLE, also while partitions of the database move: then the next run of the job writes the event
 */
export async function reportDropped(ctx: JobContext, metrics: OutboxMetrics): Promise<boolean> {
  const { dropped, dropped_from: from, dropped_until: until } = metrics
  if (dropped === 0) return false
  const database = ctx.db.name
  logError('events were dropped', { database, events: dropped, from, until })
  if (!isWanted(ctx, TYPE)) {
    await ctx.db.write(resetDropped)
    return false
  }
  const [written] = await ctx.db.write([droppedEvent(ctx, database), sql`${resetDropped} AND changes() = 1`])
  return written.length > 0
}

/** The statement that resets the counts of dropped events. */
const resetDropped = sql`UPDATE outbox_counts SET dropped = 0, dropped_from = NULL, dropped_until = NULL WHERE owner_id = ''`

/** The statement that writes the event. Its id is in a partition that is open in the database, so that this database delivers it. */
function droppedEvent(ctx: JobContext, database: string): SQL {
  const id = newId('')
  const openPartition = sql`(WITH RECURSIVE partition (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM partition WHERE number < 4095)
    SELECT printf('%03x', number) FROM partition WHERE ${isAtHome(sql`printf('%20s%03x', '', number)`, database)} LIMIT 1)`
  const data: Record<keyof EventData<typeof TYPE>, string> = {
    events: 'dropped',
    from: 'dropped_from',
    until: 'dropped_until',
  }
  const members = Object.entries(data).map(([name, column]) => `'${name}', ${column}`)
  const row = {
    id: sql`${id.slice(0, 20)} || ${openPartition} || ${id.slice(23)}`,
    type: TYPE,
    resource_id: TYPE,
    seq: 1,
    data: sql.raw(`json_object(${members.join(', ')})`),
    created_at: seconds(ctx),
    next_at: 0,
  }
  const isPending = sql`EXISTS (SELECT 1 FROM outbox INDEXED BY outbox_by_resource
    WHERE owner_id = '' AND resource_id = ${TYPE} AND parked_at IS NULL)`
  return sql`${insert(
    outbox,
    row,
    sql`FROM outbox_counts WHERE owner_id = '' AND dropped > 0 AND ${openPartition} IS NOT NULL
      AND NOT ${isPending} AND NOT ${isPaused}`,
  )} RETURNING id`
}

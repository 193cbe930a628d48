import { type SQL, sql } from 'drizzle-orm'
import type { Message } from '../../platform/config/message.ts'
import { BATCH_SIZE, type RequestContext, seconds } from '../../platform/context.ts'
import { wakeDelivery } from '../../platform/events/wake.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { isAtHome } from '../../platform/shards/homes.ts'
import { endPause } from './outbox.ts'

/** The events that an operator selects: one by its id, or all parked ones. */
export type Named = { id: string } | { all: true }

/** How many events were changed, and whether the same request would find more. */
export interface Changed {
  events: number
  has_more: boolean
}

type Operator = Pick<RequestContext, 'databases' | 'now_ms'> & { queue: Queue<Message> | undefined }

/**
 * Makes events due again with their attempts reset: one waiting or parked event, or up to BATCH_SIZE parked events of each
 * database. Wakes the delivery and ends its pause.
 *
 * @throws UNAVAILABLE
 */
export async function resendEvents(ctx: Operator, named: Named): Promise<Changed> {
  const again = sql`UPDATE outbox SET attempts = 0, next_at = ${seconds(ctx)}, parked_at = NULL`
  const changed =
    'id' in named
      ? await changeOne(ctx, named.id, [sql`${again} WHERE id = ${named.id} RETURNING id`, endPause])
      : await changeParked(ctx, (which) => [sql`${again} WHERE ${which} RETURNING id`, endPause])
  const databases = changed.filter(({ events }) => events > 0).map(({ database }) => database)
  await wakeDelivery(ctx.queue, databases)
  return sumOf(changed)
}

/** Deletes parked events permanently: one, or up to BATCH_SIZE of each database. @throws UNAVAILABLE */
export async function discardEvents(ctx: Operator, named: Named): Promise<Changed> {
  const changed =
    'id' in named
      ? await changeOne(ctx, named.id, [
          sql`DELETE FROM outbox WHERE id = ${named.id} AND parked_at IS NOT NULL RETURNING id`,
        ])
      : await changeParked(ctx, (which) => [sql`DELETE FROM outbox WHERE ${which} RETURNING id`])
  return sumOf(changed)
}

/** How many events of a database were changed. */
interface ChangedIn {
  database: string
  events: number
}

async function changeOne({ databases }: Operator, id: string, statements: SQL[]): Promise<ChangedIn[]> {
  const db = databases.of(id)
  const [rows = []] = await db.write(statements)
  return [{ database: db.name, events: rows.length }]
}

async function changeParked(
  { databases }: Operator,
  statementsFor: (which: SQL) => SQL[],
): Promise<ChangedIn[]> {
  return pooled(databases.names, async (database) => {
    const which = sql`id IN (SELECT parked.id FROM outbox AS parked INDEXED BY outbox_parked
      WHERE parked.parked_at IS NOT NULL AND ${isAtHome(sql`parked.id`, database)}
      ORDER BY parked.parked_at LIMIT ${BATCH_SIZE})`
    const [rows = []] = await databases.unfenced(database).send(statementsFor(which))
    return { database, events: rows.length }
  })
}

function sumOf(changed: readonly ChangedIn[]): Changed {
  return {
    events: changed.reduce((sum, { events }) => sum + events, 0),
    has_more: changed.some(({ events }) => events === BATCH_SIZE),
  }
}

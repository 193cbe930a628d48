import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { outbox } from '../../platform/db/schema.ts'
import { columnsOf } from '../../platform/db/sql.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { readFigures } from './figures.ts'
import type { EventsOverview, UndeliveredEvent } from './schema.ts'

type Row = typeof outbox.$inferSelect

/**
 * Reads the figures of every outbox, and from each database up to `limit` waiting events, the next ones first, and up to
 * `limit` parked events, the oldest first.
 *
 * @throws UNAVAILABLE
 */
export async function readOverview(ctx: RequestContext, limit: number): Promise<EventsOverview> {
  const all = ctx.databases.names.map((name) => ctx.databases.whole(name))
  for (const db of all) db.usePrimary()
  const found = await pooled(all, async (db) => {
    const {
      is_due: _,
      dropped_from: _from,
      dropped_until: _until,
      ...figures
    } = await readFigures(db, seconds(ctx))
    const waiting = await eventsIn(
      db,
      sql`FROM outbox INDEXED BY outbox_by_turn WHERE parked_at IS NULL ORDER BY next_at LIMIT ${limit}`,
    )
    const parked = await eventsIn(
      db,
      sql`FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL ORDER BY parked_at LIMIT ${limit}`,
    )
    return { figures: { database: db.name, ...figures }, waiting, parked }
  })
  return {
    is_configured: ctx.config.WEBHOOK_URL !== undefined,
    databases: found.map(({ figures }) => figures),
    waiting: found.flatMap(({ waiting }) => waiting),
    parked: found.flatMap(({ parked }) => parked),
  }
}

async function eventsIn(db: Database, from: SQL): Promise<UndeliveredEvent[]> {
  const rows = await db.read<Row>(sql`SELECT ${columnsOf(outbox)} ${from}`)
  return rows.map(
    ({ id, type, resource_id, data, created_at, attempts, next_at, parked_at, last_error }) => ({
      ...{ database: db.name, id, type, resource_id, data: JSON.parse(data) },
      // An event whose `next_at` is a turn is due since it happened.
      ...{ created_at, attempts, next_at: Math.max(next_at, created_at), parked_at, last_error },
    }),
  )
}

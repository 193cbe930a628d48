import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { outbox } from '../../platform/db/schema.ts'
import { columnsOf } from '../../platform/db/sql.ts'
import { pooled } from '../../platform/lib/pool.ts'
import type { EventsOverview, UndeliveredEvent } from './schema.ts'

type Row = typeof outbox.$inferSelect

/**
 * Reads the metrics of every outbox, and from each database up to `limit` waiting events, the next ones first, and up to
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
      ...metrics
    } = await readOutboxMetrics(db, seconds(ctx))
    const waiting = await eventsIn(
      db,
      sql`FROM outbox INDEXED BY outbox_by_turn WHERE parked_at IS NULL ORDER BY next_at LIMIT ${limit}`,
    )
    const parked = await eventsIn(
      db,
      sql`FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL ORDER BY parked_at LIMIT ${limit}`,
    )
    return { metrics: { database: db.name, ...metrics }, waiting, parked }
  })
  return {
    is_configured: ctx.config.WEBHOOK_URL !== undefined,
    databases: found.map(({ metrics }) => metrics),
    waiting: found.flatMap(({ waiting }) => waiting),
    parked: found.flatMap(({ parked }) => parked),
  }
}

async function eventsIn(db: Database, from: SQL): Promise<UndeliveredEvent[]> {
  const rows = await db.read<Row>(sql`SELECT ${columnsOf(outbox)} ${from}`)
  return rows.map(({ id, type, resource_id, data, created_at, attempts, next_at, parked_at, ...last }) => ({
    ...{ database: db.name, id, type, resource_id, data: JSON.parse(data) },
    // An event whose `next_at` is a turn is due since it happened.
    ...{ created_at, attempts, next_at: Math.max(next_at, created_at), parked_at },
    ...{ last_error: last.last_error, last_failed_at: last.last_failed_at },
  }))
}

/** Metrics of a database's outbox. Counts end at MAX_COUNTED, and `oldest_at` considers as many events. Times are Unix seconds. */
export interface OutboxMetrics {
  waiting: number
  parked: number
  /** When the oldest parked event was parked. */
  oldest_parked_at: number | null
  /** When the oldest waiting event happened. */
  oldest_at: number | null
  /** Whether an event is due for delivery. */
  is_due: 0 | 1
  /** How many events were dropped since the last `events.dropped`, and when the first and the last of them happened. */
  dropped: number
  dropped_from: number | null
  dropped_until: number | null
}

const nothing: OutboxMetrics = {
  waiting: 0,
  parked: 0,
  oldest_parked_at: null,
  oldest_at: null,
  is_due: 0,
  dropped: 0,
  dropped_from: null,
  dropped_until: null,
}

const MAX_COUNTED = 10_000

/** Reads the metrics of a database in one query. `now` is in Unix seconds. @throws UNAVAILABLE */
export async function readOutboxMetrics(db: Database, now: number): Promise<OutboxMetrics> {
  const [metrics] = await db.read<OutboxMetrics>(
    sql`SELECT count(*) AS waiting, min(created_at) AS oldest_at, coalesce(min(next_at) <= ${now}, 0) AS is_due,
      (SELECT count(*) FROM (SELECT 1 FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL LIMIT ${MAX_COUNTED})) AS parked,
      (SELECT min(parked_at) FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL) AS oldest_parked_at,
      ${totalOf('dropped')}, ${totalOf('dropped_from')}, ${totalOf('dropped_until')}
      FROM (SELECT created_at, next_at FROM outbox INDEXED BY outbox_by_turn WHERE parked_at IS NULL
        ORDER BY next_at LIMIT ${MAX_COUNTED})`,
  )
  return metrics ?? nothing
}

/** SQL: a column of the row that counts the events of all owners. */
function totalOf(column: string): SQL {
  return sql.raw(`(SELECT ${column} FROM outbox_counts WHERE owner_id = '') AS ${column}`)
}

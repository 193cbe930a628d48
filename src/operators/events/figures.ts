import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../platform/db/database.ts'

/** Figures of a database's outbox. Counts end at MAX_COUNTED, and `oldest_at` considers as many events. Times are Unix seconds. */
export interface Figures {
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

const nothing: Figures = {
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

/** Reads the figures of a database in one query. `now` is in Unix seconds. @throws UNAVAILABLE */
export async function readFigures(db: Database, now: number): Promise<Figures> {
  const [figures] = await db.read<Figures>(
    sql`SELECT count(*) AS waiting, min(created_at) AS oldest_at, coalesce(min(next_at) <= ${now}, 0) AS is_due,
      (SELECT count(*) FROM (SELECT 1 FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL LIMIT ${MAX_COUNTED})) AS parked,
      (SELECT min(parked_at) FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL) AS oldest_parked_at,
      ${totalOf('dropped')}, ${totalOf('dropped_from')}, ${totalOf('dropped_until')}
      FROM (SELECT created_at, next_at FROM outbox INDEXED BY outbox_by_turn WHERE parked_at IS NULL
        ORDER BY next_at LIMIT ${MAX_COUNTED})`,
  )
  return figures ?? nothing
}

/** SQL: a column of the row that counts the events of all owners. */
function totalOf(column: string): SQL {
  return sql.raw(`(SELECT ${column} FROM outbox_counts WHERE owner_id = '') AS ${column}`)
}

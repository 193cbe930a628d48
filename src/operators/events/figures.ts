import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../platform/db/database.ts'

/** What the outbox of a database holds. Beyond MOST, nothing is counted or looked at. */
export interface Figures {
  waiting: number
  parked: number
  /** When the one that has been parked for the longest was parked, in Unix seconds. */
  oldest_parked_at: number | null
  /** When the oldest of those that wait has happened, in Unix seconds. */
  oldest_at: number | null
  /** Whether a delivery has something to do. */
  is_due: 0 | 1
  /** The events that were dropped since the last `events.dropped`, and when the first and the last of them happened. */
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

const MOST = 10_000

/** Reads what waits in a database, in one query. @throws UNAVAILABLE */
export async function readFigures(db: Database, now: number): Promise<Figures> {
  const [figures] = await db.read<Figures>(
    sql`SELECT count(*) AS waiting, min(created_at) AS oldest_at, coalesce(min(next_at) <= ${now}, 0) AS is_due,
      (SELECT count(*) FROM (SELECT 1 FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL LIMIT ${MOST})) AS parked,
      (SELECT min(parked_at) FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL) AS oldest_parked_at,
      ${ofAll('dropped')}, ${ofAll('dropped_from')}, ${ofAll('dropped_until')}
      FROM (SELECT created_at, next_at FROM outbox INDEXED BY outbox_by_turn WHERE parked_at IS NULL
        ORDER BY next_at LIMIT ${MOST})`,
  )
  return figures ?? nothing
}

function ofAll(column: string): SQL {
  return sql.raw(`(SELECT ${column} FROM outbox_counts WHERE owner_id = '') AS ${column}`)
}

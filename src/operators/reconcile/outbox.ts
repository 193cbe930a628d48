import { sql } from 'drizzle-orm'
import type { Finding, ReconcileContext } from './page.ts'

/** An owner gets a row in `outbox_counts` at ADDED_AT events and loses it below KEPT_FROM (migrations/0011_events.sql). */
const [ADDED_AT, KEPT_FROM] = [16, 8]

/** SQL: the number of events of each owner, and of all owners as `''`. */
const recount = sql`SELECT owner_id, count(*) AS events FROM outbox WHERE owner_id <> '' GROUP BY owner_id
  UNION ALL SELECT '', count(*) FROM outbox`

/** SQL: the owners whose row is missing, superfluous or has a wrong count. */
const wrong = sql<{ owner_id: string }>`WITH found AS MATERIALIZED (${recount})
  SELECT found.owner_id AS owner_id FROM found LEFT JOIN outbox_counts AS counted ON counted.owner_id = found.owner_id
    WHERE counted.events <> found.events OR (counted.events IS NULL AND (found.events >= ${ADDED_AT} OR found.owner_id = ''))
  UNION ALL SELECT owner_id FROM outbox_counts WHERE owner_id <> '' AND owner_id NOT IN (SELECT owner_id FROM found)`

/** Counts the events of a database and compares the counts with `outbox_counts`. A repair writes all counts in one batch. */
export async function compareOutbox({ databases, database, isRepair }: ReconcileContext): Promise<Finding[]> {
  const db = databases.whole(database)
  const found = isRepair
    ? (
        await db.write({
          found: wrong,
          removed: sql`DELETE FROM outbox_counts WHERE owner_id <> ''`,
          set: sql`INSERT INTO outbox_counts (owner_id, events) SELECT owner_id, events FROM (${recount})
            WHERE owner_id = '' OR events >= ${KEPT_FROM}
            ON CONFLICT (owner_id) DO UPDATE SET events = excluded.events`,
        })
      ).found
    : await db.read(wrong)
  return found.map(({ owner_id }) => ({
    problem: 'counters_differ',
    id: owner_id === '' ? 'outbox' : `outbox of ${owner_id}`,
    is_repaired: isRepair,
    ...(owner_id !== '' && { owner_id }),
  }))
}

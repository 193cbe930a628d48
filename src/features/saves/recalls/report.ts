import { sql } from 'drizzle-orm'
import { recallReports } from '../../../platform/db/schema.ts'
import { Session } from '../../../platform/db/session.ts'
import { insert, type Params, statement } from '../../../platform/db/sql.ts'
import { noMetrics } from '../../../platform/lib/metrics.ts'
import { DEFAULT_TIMEOUT_MS } from '../../../platform/lib/timeout.ts'

/** What a recall has come to for one player. */
export interface RecallReport {
  /** Drawn by the player's object. It names nobody. */
  id: string
  recall_id: string
  /** How many slots went back; stayed, because they were written since; and stayed, because they have no earlier revision. */
  slots: number
  kept: number
  without_earlier: number
}

/** Notes a report, if it is new and its recall is known. */
const note = statement((p: Params<'id' | 'recall_id'>) => {
  const ofKnown = sql`FROM recalls WHERE id = ${p.recall_id}`
  return sql`${insert(recallReports, { id: sql`${p.id}` }, ofKnown)} ON CONFLICT (id) DO NOTHING`
})

/** Adds a report to the counts, if the statement right before it has noted the report. */
const count = statement(
  (p: Params<'recall_id' | 'slots' | 'kept' | 'without_earlier'>) => sql`UPDATE recalls SET
    player_count = player_count + (${p.slots} > 0),
    slot_count = slot_count + ${p.slots},
    kept_count = kept_count + ${p.kept},
    without_earlier_count = without_earlier_count + ${p.without_earlier}
    WHERE id = ${p.recall_id} AND changes() > 0`,
)

/**
 * Adds reports to the counts of their recalls. A report that comes again within 30 days counts once: `recall_reports` has its id, until
 * the job deletes it. `first` is the binding of the first database. @throws UNAVAILABLE
 */
export async function countReports(first: D1Database, reports: readonly RecallReport[]): Promise<void> {
  const session = new Session('DB', first, { timeout_ms: DEFAULT_TIMEOUT_MS, metrics: noMetrics() })
  await session.send(reports.flatMap((report) => [note({ ...report }), count({ ...report })]))
}

import { sql } from 'drizzle-orm'
import type { Env } from '../../platform/config/env.ts'
import { BATCH_SIZE, type JobContext, seconds } from '../../platform/context.ts'
import { MINUTE } from '../../platform/lib/units.ts'
import { isHere } from '../../platform/shards/partitions.ts'
import { wakeChecks } from './wake.ts'

/** How much content of one database waits for its verdict, for the job's report. */
export interface ChecksReport {
  /** How many uploads wait, up to MAX_COUNTED. */
  checks_waiting: number
  /** For how many seconds the oldest has waited. */
  oldest_check_seconds: number
}

const MAX_COUNTED = 10_000

/** A message to the queue counts as lost after this many seconds. */
const LOST_AFTER_SECONDS = 5 * MINUTE

/**
 * Queues further requests to the checker for content whose verdict is overdue, up to BATCH_SIZE uploads of the job's
 * database. Returns how much waits, and writes it to the metrics; undefined, without any query, when no checker is
 * configured.
 *
 * @throws UNAVAILABLE, also while partitions of the database are moved
 */
export async function askAgain(
  ctx: JobContext,
  { CONTENT_CHECK, CHECKS, METRICS }: Pick<Env, 'CONTENT_CHECK' | 'CHECKS' | 'METRICS'>,
): Promise<ChecksReport | undefined> {
  if (!CONTENT_CHECK && ctx.config.CONTENT_CHECK_URL === undefined) return undefined
  const now = seconds(ctx)
  const waits = sql`check_state = 'waiting' AND state IN ('open', 'completing')`
  const hasBegun = sql`check_began_at <= ${now}`
  const counted = sql`${waits} AND ${isHere(sql`uploads.id`)}`
  const {
    overdue,
    waiting: [waiting],
  } = await ctx.db.write({
    overdue: sql<{ id: string }>`UPDATE uploads SET check_next_at = ${now + LOST_AFTER_SECONDS} WHERE id IN (
        SELECT id FROM uploads INDEXED BY uploads_to_check WHERE ${counted} AND check_next_at <= ${now}
        ORDER BY check_next_at LIMIT ${BATCH_SIZE}
      ) RETURNING id`,
    waiting: sql<{ count: number; oldest: number | null }>`SELECT
      (SELECT count(*) FROM (SELECT 1 FROM uploads INDEXED BY uploads_in_check WHERE ${counted} AND ${hasBegun} LIMIT ${MAX_COUNTED})) AS count,
      (SELECT min(check_began_at) FROM uploads INDEXED BY uploads_in_check WHERE ${counted} AND ${hasBegun}) AS oldest`,
  })
  await wakeChecks(
    CHECKS,
    overdue.map(({ id }) => id),
  )
  const report = {
    checks_waiting: waiting?.count ?? 0,
    oldest_check_seconds: Math.max(0, now - (waiting?.oldest ?? now)),
  }
  METRICS?.writeDataPoint({
    indexes: ['checks'],
    blobs: ['job', 'checks', ctx.db.name],
    doubles: [report.oldest_check_seconds, report.checks_waiting],
  })
  return report
}

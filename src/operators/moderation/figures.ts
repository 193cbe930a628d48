import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { DAY } from '../../platform/lib/units.ts'
import type { Figures } from './schema.ts'

type Range = Params<'from' | 'to'>

const within = (p: Range) => sql`created_at >= ${p.from} AND created_at < ${p.to}`

const reports = statement(
  (p: Range) => sql<{
    category: string
    count: number
    illegal: number
  }>`SELECT category, count(*) AS count, sum(is_illegal) AS illegal
    FROM reports INDEXED BY reports_by_time WHERE ${within(p)} GROUP BY category`,
)
const decisions = statement(
  (p: Range) => sql<{
    action: string
    ground: string
    count: number
    automated: number
  }>`SELECT action, ground, count(*) AS count,
      sum(is_automated) AS automated FROM decisions INDEXED BY decisions_by_time WHERE ${within(p)} GROUP BY action, ground`,
)
const median = statement(
  (p: Range) => sql<{ seconds: number }>`WITH answered AS (SELECT created_at - first_reported_at AS seconds
      FROM decisions INDEXED BY decisions_by_time WHERE ${within(p)} AND is_automated = 0 AND first_reported_at IS NOT NULL)
    SELECT seconds FROM answered ORDER BY seconds LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 FROM answered)`,
)
const appeals = statement(
  (p: Range) => sql<{
    count: number
    reversed: number | null
  }>`SELECT count(*) AS count, sum(state = 'reversed') AS reversed
    FROM appeals INDEXED BY appeals_by_time WHERE ${within(p)}`,
)

const LONGEST = 366 * DAY

/**
 * The figures of a time, for a transparency report (docs/moderating.md): of what was made in `[from, to)`. They read a row of an index for
 * each report, decision and appeal of the time.
 *
 * @throws VALIDATION_FAILED when the time is empty or longer than 366 days
 */
export async function figuresOf(
  { databases }: RequestContext,
  { from, to }: { from: number; to: number },
): Promise<Figures> {
  if (to <= from || to - from > LONGEST)
    throw new ApiError('VALIDATION_FAILED', {
      detail: '`to` must be after `from`, by at most 366 days.',
      errors: [{ in: 'query', path: '/to', message: 'must be after from, by at most 366 days' }],
    })
  const values = { from, to }
  const found = await databases.common.read({
    reports: reports(values),
    decisions: decisions(values),
    median: median(values),
    appeals: appeals(values),
  })
  const [appealed] = found.appeals
  return {
    report_count: sum(found.reports, ({ count }) => count),
    reports_by_category: Object.fromEntries(found.reports.map(({ category, count }) => [category, count])),
    illegal_report_count: sum(found.reports, ({ illegal }) => illegal),
    decision_count: sum(found.decisions, ({ count }) => count),
    decisions_by_action: grouped(found.decisions, ({ action }) => action),
    decisions_by_ground: grouped(found.decisions, ({ ground }) => ground),
    automated_count: sum(found.decisions, ({ automated }) => automated),
    median_seconds_to_decision: found.median[0]?.seconds ?? null,
    appeal_count: appealed?.count ?? 0,
    reversed_count: appealed?.reversed ?? 0,
  }
}

function sum<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((total, row) => total + of(row), 0)
}

function grouped<Row extends { count: number }>(
  rows: readonly Row[],
  by: (row: Row) => string,
): Record<string, number> {
  const groups = Map.groupBy(rows, by)
  return Object.fromEntries([...groups].map(([name, some]) => [name, sum(some, ({ count }) => count)]))
}

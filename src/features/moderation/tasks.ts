import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, type LaterContext, seconds } from '../../platform/context.ts'
import { idsIn } from '../../platform/db/sql.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { DAY } from '../../platform/lib/units.ts'
import { findCase, measureOf } from './case.ts'
import { hide } from './hide.ts'
import { applyMeasure, type MeasureContext } from './measure.ts'
import { NOTICES_PER_STEP, sendDueNotices } from './notices.ts'

/** How many cases a step looks at, and how many it removes. */
const [CASES_PER_STEP, REMOVED_PER_STEP, MEASURED_PER_STEP] = [5, 20, 5]

/** The tasks of moderation. Its rows are in the first database, so the job of that one does them. */
export const moderationTasks = {
  measures_applied: {
    step: inFirst(applyPending),
    queries: 1 + CASES_PER_STEP * 15,
    calls: 0,
    feeds: ['notices_sent'],
  },
  assets_hidden: {
    step: inFirst(hideCrowded),
    queries: 1 + CASES_PER_STEP * 20,
    calls: 0,
  },
  notices_sent: { step: inFirst(sendDueNotices), queries: 6, calls: 2 * NOTICES_PER_STEP },
  cases_deleted: {
    step: inFirst(deleteOldCases),
    queries: 5 + REMOVED_PER_STEP + 4 * MEASURED_PER_STEP,
    calls: 0,
  },
} as const satisfies Record<string, Task>

function inFirst(step: (ctx: JobContext) => Promise<number>): (ctx: JobContext) => Promise<number> {
  return async (ctx) => (ctx.db.name === ctx.databases.common.name ? step(ctx) : 0)
}

/** Runs a step that changes measures, and waits for the work that a request would leave for after its answer. */
async function withMeasures(
  ctx: JobContext,
  step: (measures: MeasureContext) => Promise<number>,
): Promise<number> {
  const later: Promise<void>[] = []
  const afterwards = (work: (ctx: LaterContext) => Promise<void>) => {
    later.push(work(ctx))
  }
  // The pictures of a thing that is blocked here end when caches drop them by themselves.
  const done = await step({ ...ctx, afterwards, ended: [] })
  await Promise.all(later)
  return done
}

const pending = sql<{ id: string }>`SELECT id FROM cases WHERE applied < sequence LIMIT ${CASES_PER_STEP}`

/** Brings measures to their things that a request was cut off before. Returns how many; those whose database is away wait. */
async function applyPending(ctx: JobContext): Promise<number> {
  const cases = await ctx.databases.common.read(pending)
  return withMeasures(ctx, async (measures) => {
    let applied = 0
    for (const { id } of cases)
      try {
        await applyMeasure(measures, measureOf(await findCase(ctx, id)))
        applied++
      } catch (error) {
        logWarning('a measure is brought to its thing later', { case: id, error: String(error) })
      }
    return applied
  })
}

/** Hides assets that many users have reported, when the last report did not. Returns how many. */
async function hideCrowded(ctx: JobContext): Promise<number> {
  const { HIDE_AFTER_REPORTS } = ctx.config
  if (HIDE_AFTER_REPORTS === 0) return 0
  const crowded = await ctx.databases.common.read(
    sql<{
      id: string
    }>`SELECT id FROM cases INDEXED BY cases_crowded WHERE target_type = 'asset' AND fresh_reporters > 0
      AND (decision_id IS NULL OR decision ->> 'action' IN ('none', 'warn')) AND appealed_at IS NULL
      AND fresh_reporters >= ${HIDE_AFTER_REPORTS} LIMIT ${CASES_PER_STEP}`,
  )
  return withMeasures(ctx, async (measures) => {
    let hidden = 0
    for (const { id } of crowded) if (await hide(measures, id)) hidden++
    return hidden
  })
}

interface OldCase {
  id: string
  target_type: 'asset' | 'file' | 'user'
  target_id: string
  sequence: number
}

/**
 * Deletes cases that were decided MODERATION_RETENTION_DAYS ago and have no measure in force, and as old reports of unknown users. What a case has left
 * at its thing goes first: it has a higher number than the first decision of a later case. A case whose database is away waits.
 */
async function deleteOldCases(ctx: JobContext): Promise<number> {
  const { common } = ctx.databases
  const before = seconds(ctx) - ctx.config.MODERATION_RETENTION_DAYS * DAY
  const old = await common.read(
    sql<OldCase>`SELECT id, target_type, target_id, sequence FROM cases INDEXED BY cases_decided
      WHERE state = 'decided' AND is_measured = 0 AND changed_at <= ${before} AND applied = sequence LIMIT ${REMOVED_PER_STEP}`,
  )
  const removed: string[] = []
  for (const { id } of await common.read(
    sql<{ id: string }>`SELECT id FROM cases INDEXED BY cases_measured
      WHERE state = 'decided' AND is_measured = 1 AND changed_at <= ${before} LIMIT ${MEASURED_PER_STEP}`,
  ))
    try {
      // The name of a thing that is gone is null.
      const isThere = (await findCase(ctx, id)).name !== null
      // One whose measure is in force is looked at again after as long a time.
      if (isThere) await common.write(sql`UPDATE cases SET changed_at = ${seconds(ctx)} WHERE id = ${id}`)
      else removed.push(id)
    } catch (error) {
      logWarning('an old case is looked at later', { case: id, error: String(error) })
    }
  for (const { id, target_type, target_id, sequence } of old)
    try {
      if (target_type !== 'user' && sequence > 0)
        await ctx.databases.of(target_id).write([
          sql`DELETE FROM measures WHERE kind = ${target_type === 'asset' ? 'assets' : 'files'} AND id = ${target_id}
            AND sequence BETWEEN 1 AND ${sequence} AND action = 'none'`,
        ])
      removed.push(id)
    } catch (error) {
      logWarning('an old case is deleted later', { case: id, error: String(error) })
    }
  // Whatever has happened to one meanwhile has changed it.
  const isOld = sql`cases.id IN (${idsIn(removed)}) AND cases.changed_at <= ${before}`
  const [reported, cases, reports] = await common.write([
    sql`DELETE FROM reports WHERE id IN (SELECT reports.id FROM cases CROSS JOIN reports ON reports.case_id = cases.id
      WHERE ${isOld} LIMIT ${BATCH_SIZE}) RETURNING id`,
    sql`DELETE FROM cases WHERE ${isOld} AND NOT EXISTS (SELECT 1 FROM reports WHERE reports.case_id = cases.id) RETURNING id`,
    sql`DELETE FROM reports WHERE id IN (SELECT id FROM reports INDEXED BY reports_without_case
      WHERE case_id IS NULL AND created_at <= ${before} LIMIT ${REMOVED_PER_STEP}) RETURNING id`,
  ])
  return cases.length + reports.length + Number(reported.length >= BATCH_SIZE)
}

import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, seconds } from '../context.ts'
import { pausedOwners, progress } from '../db/schema.ts'
import { insert } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { logError } from '../lib/log.ts'
import { DAY, MINUTE } from '../lib/units.ts'

/** The pause of an owner after the first failed step, in seconds. Each further failure doubles it, up to the longest pause. */
const [FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS] = [5 * MINUTE, DAY]

/** The time from the end of a pause until the owner's failures are deleted, in seconds. */
const FAILURES_SECONDS = 30 * DAY

/**
 * Takes a step for the next owner with work for a task. Owners take turns, across runs too. An owner whose step fails is
 * paused, so that a row that can't be removed doesn't stop the task for other owners. Sends up to three queries besides those
 * of the step. `after` selects the next owner with work after an owner id. Returns the result of `stepOf`, 0 without an owner.
 *
 * @throws UNAVAILABLE, because such a failure doesn't depend on the owner
 */
export async function stepOfNextOwner(
  ctx: JobContext,
  task: string,
  after: (owner_id: SQL) => SQL,
  step: (owner_id: string) => Promise<number>,
): Promise<number> {
  const paused = (owner: SQL) => isPaused(task, owner, seconds(ctx))
  const nextFrom = (start: SQL) => sql`(WITH RECURSIVE walk (owner_id) AS (
      SELECT (${after(start)})
      UNION ALL SELECT (${after(sql`walk.owner_id`)}) FROM walk WHERE ${paused(sql`walk.owner_id`)}
    )
    SELECT owner_id FROM walk WHERE owner_id IS NOT NULL AND NOT ${paused(sql`walk.owner_id`)} LIMIT 1)`
  const position = sql`coalesce((SELECT position FROM progress WHERE task = ${task}), '')`
  const found = sql`FROM (SELECT coalesce(${nextFrom(position)}, ${nextFrom(sql`''`)}) AS owner_id)
    WHERE owner_id IS NOT NULL`
  const [next] = await ctx.db.write<{ owner_id: string }>(
    sql`${insert(progress, { task, position: sql`owner_id` }, found)}
      ON CONFLICT (task) DO UPDATE SET position = excluded.position RETURNING position AS owner_id`,
  )
  return next ? stepOf(ctx, task, next.owner_id, step) : 0
}

/**
 * Takes a step for one owner, and pauses the owner when the step fails or changes nothing. Returns the step's result, 1 when
 * it failed.
 *
 * @throws UNAVAILABLE, because such a failure doesn't depend on the owner
 */
export async function stepOf(
  ctx: JobContext,
  task: string,
  owner_id: string,
  step: (owner_id: string) => Promise<number>,
): Promise<number> {
  try {
    const done = await step(owner_id)
    if (done > 0) return done
    throw new Error('the step changed nothing although something is due')
  } catch (error) {
    if (isUnavailable(error)) throw error
    await pause(ctx, task, owner_id, error)
    return 1
  }
}

/** SQL: whether a task has paused the owner. */
export function isPaused(task: string, owner_id: SQL, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM paused_owners AS paused
    WHERE paused.task = ${task} AND paused.owner_id = ${owner_id} AND paused.next_at > ${now})`
}

/** Whether a step failed because D1, R2 or an inbox is unavailable, and not because of its rows. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAVAILABLE'
}

async function pause(ctx: JobContext, task: string, owner_id: string, error: unknown): Promise<void> {
  logError('an owner is paused after a failed step', { task, owner_id, error: String(error) })
  const now = seconds(ctx)
  await ctx.db.write([
    sql`DELETE FROM paused_owners WHERE task = ${task} AND next_at <= ${now - FAILURES_SECONDS}`,
    sql`${insert(pausedOwners, { task, owner_id, failures: 1, next_at: now + FIRST_PAUSE_SECONDS })}
      ON CONFLICT (task, owner_id) DO UPDATE SET failures = failures + 1,
        next_at = ${now} + min(${FIRST_PAUSE_SECONDS} << min(failures, 20), ${LONGEST_PAUSE_SECONDS})`,
  ])
}

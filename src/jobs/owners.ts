import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, seconds } from '../context.ts'
import { ApiError } from '../errors.ts'

/** How long an owner is left out after a step of theirs has failed, in seconds; twice as long after each failure. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [5 * 60, 24 * 60 * 60]

/** A failure that is long past is forgotten, in seconds. */
const FORGOTTEN = 30 * 24 * 60 * 60

/**
 * Takes a step for the next owner for whom a task has something to do. Owners take turns, from run to run too, and one
 * whose step fails is tried again later, so that a row that can't be removed stops nobody else's. Uses three queries
 * beside the step. `after` selects the next owner after the given one.
 *
 * @throws UNAVAILABLE, when it is not the owner's rows that the step failed for
 */
export async function stepOfNextOwner(
  ctx: JobContext,
  task: string,
  after: (owner_id: SQL) => SQL,
  step: (owner_id: string) => Promise<number>,
): Promise<number> {
  const paused = (owner: SQL) => isPaused(task, owner, seconds(ctx))
  const from = (start: SQL) => sql`(WITH RECURSIVE walk (owner_id) AS (
      SELECT (${after(start)})
      UNION ALL SELECT (${after(sql`walk.owner_id`)}) FROM walk WHERE ${paused(sql`walk.owner_id`)}
    )
    SELECT owner_id FROM walk WHERE owner_id IS NOT NULL AND NOT ${paused(sql`walk.owner_id`)} LIMIT 1)`
  const position = sql`coalesce((SELECT position FROM progress WHERE task = ${task}), '')`
  const [next] = await ctx.db.all<{ owner_id: string }>(
    sql`INSERT INTO progress (task, position)
      SELECT ${task}, owner_id FROM (SELECT coalesce(${from(position)}, ${from(sql`''`)}) AS owner_id)
      WHERE owner_id IS NOT NULL
      ON CONFLICT (task) DO UPDATE SET position = excluded.position RETURNING position AS owner_id`,
  )
  return next ? stepOf(ctx, task, next.owner_id, step) : 0
}

/** Takes a step for one owner, and leaves the owner out for a while when it fails, or gets nothing done. */
export async function stepOf(
  ctx: JobContext,
  task: string,
  owner_id: string,
  step: (owner_id: string) => Promise<number>,
): Promise<number> {
  try {
    const done = await step(owner_id)
    if (done > 0) return done
    throw new Error('nothing could be done of what is due')
  } catch (error) {
    if (isUnavailable(error)) throw error
    await pause(ctx, task, owner_id, error)
    return 1
  }
}

/** SQL: whether an owner is left out of a task for now. */
export function isPaused(task: string, owner_id: SQL, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM paused_owners AS paused
    WHERE paused.task = ${task} AND paused.owner_id = ${owner_id} AND paused.next_at > ${now})`
}

/** Whether something failed because a part that we depend on is out, whosever rows it was about. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAVAILABLE'
}

async function pause(ctx: JobContext, task: string, owner_id: string, error: unknown): Promise<void> {
  console.error(
    JSON.stringify({ message: 'an owner is left out for a while', task, owner_id, error: String(error) }),
  )
  const now = seconds(ctx)
  await ctx.db.batch([
    sql`DELETE FROM paused_owners WHERE task = ${task} AND next_at <= ${now - FORGOTTEN}`,
    sql`INSERT INTO paused_owners (task, owner_id, failures, next_at) VALUES (${task}, ${owner_id}, 1, ${now + FIRST_PAUSE})
      ON CONFLICT (task, owner_id) DO UPDATE SET failures = failures + 1,
        next_at = ${now} + min(${FIRST_PAUSE} << min(failures, 20), ${LONGEST_PAUSE})`,
  ])
}

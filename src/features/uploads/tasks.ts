import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, type StepContext, seconds } from '../../platform/context.ts'
import { BUCKET_WALK } from '../../platform/db/enumerations.ts'
import { isPaused, isUnavailable, stepOf } from '../../platform/jobs/owners.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { DAY } from '../../platform/lib/units.ts'
import { type FailureReason, uploadFailed } from './events.ts'
import { isWaiting } from './row.ts'
import { enqueueDeletion } from './transitions.ts'

/** The tasks of uploads. */
export const uploadTasks = {
  uploads_expired: {
    step: expireUploads,
    due: (ctx) => sql`SELECT id FROM uploads WHERE ${hasExpired(ctx)}`,
    queries: 13,
    calls: 0,
    feeds: ['objects_removed'],
  },
  uploads_deleted: { step: deleteEndedUploads, due: longEnded, queries: 2, calls: 0 },
} as const satisfies Record<string, Task>

/** How long the row of an ended upload is kept after `expires_at`, in seconds, to answer a repeated completion. */
const ENDED_KEPT_SECONDS = DAY

const TASK = 'uploads_expired'

/** SQL: whether a row of `uploads` is open and has expired, and its owner is not paused. */
function hasExpired(ctx: JobContext): SQL {
  const now = seconds(ctx)
  return sql`state IN ('open', 'completing') AND expires_at <= ${now} AND NOT ${isWaiting}
    AND NOT ${isPaused(TASK, sql`uploads.owner_id`, now)}`
}

/**
 * Removes open uploads that have expired, except those that wait for their verdict. A step takes the uploads of all owners.
 * After a step has failed, the rest of the run takes one owner at a time. Returns how many it removed.
 */
async function expireUploads(ctx: StepContext): Promise<number> {
  const due = hasExpired(ctx)
  if (!ctx.separately.has(TASK)) {
    try {
      return await expire(ctx, due)
    } catch (error) {
      if (isUnavailable(error)) throw error
      ctx.separately.add(TASK)
    }
  }
  const [next] = await ctx.db.read<{ owner_id: string }>(
    sql`SELECT owner_id FROM uploads WHERE ${due} ORDER BY expires_at, id LIMIT 1`,
  )
  if (!next) return 0
  return stepOf(ctx, TASK, next.owner_id, (owner_id) => expire(ctx, sql`${due} AND owner_id = ${owner_id}`))
}

/**
 * Removes up to BATCH_SIZE of the uploads that `due` (SQL) selects, as aborting them would. `due` selects only open uploads
 * that have expired. Returns how many.
 */
async function expire(ctx: JobContext, due: SQL): Promise<number> {
  const expired = sql`SELECT id FROM uploads WHERE ${due} ORDER BY expires_at, id LIMIT ${BATCH_SIZE}`
  const { ended } = await ctx.db.write({
    events: uploadFailed(() => sql`id IN (${expired})`)(ctx, { reason: 'expired' satisfies FailureReason }),
    objects: enqueueDeletion(sql`id IN (${expired})`, seconds(ctx)),
    files: sql`DELETE FROM files WHERE id IN (SELECT file_id FROM uploads WHERE id IN (${expired}) AND replaces = 0)
      AND processing_state IN ('pending', 'processing') AND object_key IS NULL`,
    ended: sql`DELETE FROM uploads WHERE id IN (${expired}) RETURNING id`,
  })
  return ended.length
}

function longEnded(ctx: JobContext): SQL {
  return sql`SELECT id FROM (
      SELECT id FROM uploads WHERE state IN ('completed', 'failed') AND expires_at <= ${seconds(ctx) - ENDED_KEPT_SECONDS}
      ORDER BY expires_at LIMIT ${BATCH_SIZE}
    ) WHERE id < (SELECT position FROM progress WHERE task = ${BUCKET_WALK})`
}

/**
 * Deletes the rows of uploads that ended long ago; their files and versions stay. A row is kept until the walk through the
 * bucket has passed its id, because the walk recognises an object by its upload. Returns how many it deleted.
 */
async function deleteEndedUploads(ctx: StepContext): Promise<number> {
  const deleted = await ctx.db.write(sql`DELETE FROM uploads WHERE id IN (${longEnded(ctx)}) RETURNING id`)
  return deleted.length
}

import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, type StepContext, seconds } from '../context.ts'
import { isPaused, isUnavailable, stepOf } from '../jobs/owners.ts'
import { BUCKET_WALK } from '../jobs/remove-orphans.ts'
import { enqueueDeletion } from '../storage/garbage.ts'

/** How long an upload that has ended is remembered after its time, so that completing it again is answered. */
const KEPT = 24 * 60 * 60

const TASK = 'uploads_expired'

/**
 * Ends uploads whose time is over, as aborting them would: the reservation is released, the unfinished file goes,
 * and the object is on the garbage list. All owners together; when that fails, owner by owner for the rest of the run.
 */
export async function expireUploads(ctx: StepContext): Promise<number> {
  const now = seconds(ctx)
  const due = sql`state IN ('open', 'completing') AND expires_at <= ${now} AND NOT ${isPaused(TASK, sql`uploads.owner_id`, now)}`
  if (!ctx.separately.has(TASK)) {
    try {
      return await expire(ctx, due)
    } catch (error) {
      if (isUnavailable(error)) throw error
      ctx.separately.add(TASK)
    }
  }
  const [next] = await ctx.db.all<{ owner_id: string }>(
    sql`SELECT owner_id FROM uploads WHERE ${due} ORDER BY expires_at, id LIMIT 1`,
  )
  if (!next) return 0
  return stepOf(ctx, TASK, next.owner_id, (owner_id) => expire(ctx, sql`${due} AND owner_id = ${owner_id}`))
}

async function expire(ctx: StepContext, due: SQL): Promise<number> {
  const expired = sql`SELECT id FROM uploads WHERE ${due} ORDER BY expires_at, id LIMIT ${BATCH_SIZE}`
  const { ended } = await ctx.db.batch({
    objects: enqueueDeletion(sql`id IN (${expired})`, seconds(ctx)),
    files: sql`DELETE FROM files WHERE id IN (SELECT file_id FROM uploads WHERE id IN (${expired}) AND replaces = 0)
      AND processing_state IN ('pending', 'processing') AND object_key IS NULL`,
    ended: sql`DELETE FROM uploads WHERE id IN (${expired}) RETURNING id`,
  })
  return ended.length
}

/**
 * Forgets uploads that ended long ago; what they made stays. Only those that the walk through the bucket has passed,
 * which knows an object by its upload.
 */
export async function deleteEndedUploads(ctx: StepContext): Promise<number> {
  const forgotten = await ctx.db.all(
    sql`DELETE FROM uploads WHERE id IN (
        SELECT id FROM (
          SELECT id FROM uploads WHERE state IN ('completed', 'failed') AND expires_at <= ${seconds(ctx) - KEPT}
          ORDER BY expires_at LIMIT ${BATCH_SIZE}
        ) WHERE id < (SELECT position FROM progress WHERE task = ${BUCKET_WALK})
      ) RETURNING id`,
  )
  return forgotten.length
}

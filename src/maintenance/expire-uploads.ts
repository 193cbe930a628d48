import sql from 'sql-template-tag'
import { giveUp } from '../uploads/give-up.ts'
import { type Job, STEP, seconds } from '../work.ts'

/** How long an upload that has ended is remembered after its time, so that completing it again is answered. */
const KEPT = 24 * 60 * 60

/**
 * Ends uploads whose time is over, as aborting them would: the reservation is released, the unfinished file goes,
 * and the object is on the garbage list.
 */
export async function expireUploads(job: Job): Promise<number> {
  const expired = sql`SELECT id FROM uploads
    WHERE state IN ('open', 'completing') AND expires_at <= ${seconds(job)} ORDER BY expires_at, id LIMIT ${STEP}`
  const [, , ended] = await job.db.batch<[never, never, { id: string }]>([
    giveUp(sql`id IN (${expired})`),
    sql`DELETE FROM files WHERE id IN (SELECT file_id FROM uploads WHERE id IN (${expired}) AND replaces = 0)
      AND processing_state IN ('pending', 'processing') AND object_key IS NULL`,
    sql`DELETE FROM uploads WHERE id IN (${expired}) RETURNING id`,
  ])
  return ended.length
}

/** Forgets uploads that ended long ago; what they made stays. */
export async function forgetUploads(job: Job): Promise<number> {
  const forgotten = await job.db.all(
    sql`DELETE FROM uploads WHERE id IN (
        SELECT id FROM uploads
        WHERE state IN ('completed', 'failed') AND expires_at <= ${seconds(job) - KEPT} LIMIT ${STEP}
      ) RETURNING id`,
  )
  return forgotten.length
}

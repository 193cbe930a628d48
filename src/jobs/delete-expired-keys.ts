import sql from 'sql-template-tag'
import { type Job, STEP, seconds } from '../context.ts'
import { REMEMBERED } from '../db/idempotency.ts'

/** Forgets idempotency keys that are no longer looked at. */
export async function forgetKeys(job: Job): Promise<number> {
  const forgotten = await job.db.all(
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (
        SELECT caller_id, key FROM idempotency WHERE created_at <= ${seconds(job) - REMEMBERED} LIMIT ${STEP}
      ) RETURNING key`,
  )
  return forgotten.length
}

import sql from 'sql-template-tag'
import { REMEMBERED } from '../db/once.ts'
import { seconds } from '../http/context.ts'
import { STEP } from '../trash/purge.ts'
import type { Job } from './job.ts'

/** Takes expired shares out of the index that grantees' lists run over. No rule hangs on it. */
export async function flagExpiredShares(job: Job): Promise<number> {
  const flagged = await job.db.all(
    sql`UPDATE shares SET expired = 1 WHERE id IN (
        SELECT id FROM shares WHERE expired = 0 AND expires_at <= ${seconds(job)} LIMIT ${STEP}
      ) RETURNING id`,
  )
  return flagged.length
}

/** Forgets idempotency keys that are no longer looked at. */
export async function forgetKeys(job: Job): Promise<number> {
  const forgotten = await job.db.all(
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (
        SELECT caller_id, key FROM idempotency WHERE created_at <= ${seconds(job) - REMEMBERED} LIMIT ${STEP}
      ) RETURNING key`,
  )
  return forgotten.length
}

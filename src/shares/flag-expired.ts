import sql from 'sql-template-tag'
import { type Job, STEP, seconds } from '../context.ts'

/** Takes expired shares out of the index that grantees' lists run over, and out of what counts towards limits. */
export async function flagExpiredShares(job: Job): Promise<number> {
  const flagged = await job.db.all(
    sql`UPDATE shares SET expired = 1 WHERE id IN (
        SELECT id FROM shares WHERE expired = 0 AND expires_at <= ${seconds(job)} LIMIT ${STEP}
      ) RETURNING id`,
  )
  return flagged.length
}

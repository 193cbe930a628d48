import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, seconds } from '../context.ts'

/** Takes expired shares out of the index that grantees' lists run over, and out of what counts towards limits. */
export async function flagExpiredShares(ctx: JobContext): Promise<number> {
  const flagged = await ctx.db.all(
    sql`UPDATE shares SET expired = 1 WHERE id IN (
        SELECT id FROM shares WHERE expired = 0 AND expires_at <= ${seconds(ctx)} LIMIT ${BATCH_SIZE}
      ) RETURNING id`,
  )
  return flagged.length
}

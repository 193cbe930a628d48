import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, seconds } from '../../platform/context.ts'
import { DAY } from '../../platform/lib/time-units.ts'

/** How long an expired share stays in its owner's list, in seconds. */
const EXPIRED_KEPT_SECONDS = 30 * DAY

/** Flags up to BATCH_SIZE expired shares, so that grantees' lists and limits leave them out. Returns how many. */
export async function flagExpiredShares(ctx: JobContext): Promise<number> {
  const flagged = await ctx.db.write(
    sql`UPDATE shares SET expired = 1 WHERE id IN (
        SELECT id FROM shares WHERE expired = 0 AND expires_at <= ${seconds(ctx)} LIMIT ${BATCH_SIZE}
      ) RETURNING id`,
  )
  return flagged.length
}

/** Deletes up to BATCH_SIZE shares that expired more than 30 days ago. Returns how many. */
export async function deleteExpiredShares(ctx: JobContext): Promise<number> {
  const deleted = await ctx.db.write(
    sql`DELETE FROM shares WHERE id IN (
        SELECT id FROM shares WHERE expired = 1 AND expires_at <= ${seconds(ctx) - EXPIRED_KEPT_SECONDS} LIMIT ${BATCH_SIZE}
      ) RETURNING id`,
  )
  return deleted.length
}

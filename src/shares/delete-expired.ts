import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, seconds } from '../context.ts'

/** How long a share that has expired stays in its owner's list, in seconds. */
const KEPT = 30 * 24 * 60 * 60

/** Removes shares that expired long ago. */
export async function deleteExpiredShares(ctx: JobContext): Promise<number> {
  const forgotten = await ctx.db.all(
    sql`DELETE FROM shares WHERE id IN (
        SELECT id FROM shares WHERE expired = 1 AND expires_at <= ${seconds(ctx) - KEPT} LIMIT ${BATCH_SIZE}
      ) RETURNING id`,
  )
  return forgotten.length
}

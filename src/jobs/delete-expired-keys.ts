import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, seconds } from '../context.ts'
import { KEY_LIFETIME_SECONDS } from '../db/idempotency.ts'

/** Forgets idempotency keys that are no longer looked at. */
export async function deleteExpiredKeys(ctx: JobContext): Promise<number> {
  const forgotten = await ctx.db.all(
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (
        SELECT caller_id, key FROM idempotency WHERE created_at <= ${seconds(ctx) - KEY_LIFETIME_SECONDS} LIMIT ${BATCH_SIZE}
      ) RETURNING key`,
  )
  return forgotten.length
}

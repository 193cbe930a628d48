import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, seconds } from '../context.ts'
import { KEY_LIFETIME_SECONDS } from '../db/idempotency-key.ts'

/** Deletes idempotency keys that are older than KEY_LIFETIME_SECONDS. Returns how many. */
export async function deleteExpiredKeys(ctx: JobContext): Promise<number> {
  const deleted = await ctx.db.write(
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (
        SELECT caller_id, key FROM idempotency WHERE created_at <= ${seconds(ctx) - KEY_LIFETIME_SECONDS} LIMIT ${BATCH_SIZE}
      ) RETURNING key`,
  )
  return deleted.length
}

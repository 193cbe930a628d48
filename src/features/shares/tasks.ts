import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, seconds } from '../../platform/context.ts'
import { shareHints } from '../../platform/db/schema.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { DAY } from '../../platform/lib/units.ts'
import { oldHints } from '../../platform/shards/check-hints.ts'
import { checkShareHints } from './hints.ts'
import { notifyGrantees, SHARES_PER_STEP } from './notify.ts'

/** The tasks of shares. */
export const shareTasks = {
  shares_flagged: { step: flagExpiredShares, due: expired, queries: 2, calls: 0, feeds: ['shares_deleted'] },
  shares_deleted: { step: deleteExpiredShares, due: longExpired, queries: 2, calls: 0 },
  shares_notified: {
    step: notifyGrantees,
    due: (ctx) => sql`SELECT 1 FROM shares_to_notify WHERE due_at <= ${seconds(ctx)}`,
    queries: 5,
    calls: SHARES_PER_STEP,
  },
  hints_checked: { step: checkShareHints, due: (ctx) => oldHints(ctx, shareHints), queries: 12, calls: 0 },
} as const satisfies Record<string, Task>

/** How long an expired share stays in its owner's list, in seconds. */
const EXPIRED_KEPT_SECONDS = 30 * DAY

function expired(ctx: JobContext): SQL {
  return sql`SELECT id FROM shares WHERE expired = 0 AND expires_at <= ${seconds(ctx)} LIMIT ${BATCH_SIZE}`
}

/** Flags up to BATCH_SIZE expired shares, so that grantees' lists and limits leave them out. Returns how many. */
async function flagExpiredShares(ctx: JobContext): Promise<number> {
  const flagged = await ctx.db.write(
    sql`UPDATE shares SET expired = 1 WHERE id IN (${expired(ctx)}) RETURNING id`,
  )
  return flagged.length
}

function longExpired(ctx: JobContext): SQL {
  return sql`SELECT id FROM shares WHERE expired = 1 AND expires_at <= ${seconds(ctx) - EXPIRED_KEPT_SECONDS} LIMIT ${BATCH_SIZE}`
}

/** Deletes up to BATCH_SIZE shares that expired more than 30 days ago. Returns how many. */
async function deleteExpiredShares(ctx: JobContext): Promise<number> {
  const deleted = await ctx.db.write(sql`DELETE FROM shares WHERE id IN (${longExpired(ctx)}) RETURNING id`)
  return deleted.length
}

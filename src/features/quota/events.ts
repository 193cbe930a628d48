import { type SQL, sql } from 'drizzle-orm'
import { quotaThresholds } from '../../platform/config/event-names.ts'
import type { Rendered } from '../../platform/db/sql.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'

/** A user's use and limit, in bytes. */
interface Level {
  used: SQL
  limit: SQL
}

const USED = sql`used_bytes`
const LIMIT = sql`coalesce(limit_bytes, default_limit_bytes)`

/**
 * For the batch that charges a user, after the statement that does. `added` is a SELECT of how many bytes it has charged, and
 * of no row when it has not.
 */
export function quotaUsed(ctx: EventContext, user_id: string, added: SQL): Rendered[] {
  const before = { used: sql`${USED} - (${added})`, limit: LIMIT }
  return quotaPassed(ctx, user_id, before, { used: USED, limit: LIMIT })
}

/** For the batch that gives a user another limit, before the statement that does. null: the default */
export function quotaLimited(ctx: EventContext, user_id: string, limit_bytes: number | null): Rendered[] {
  const limit = sql`coalesce(CAST(${limit_bytes} AS INTEGER), default_limit_bytes)`
  return quotaPassed(ctx, user_id, { used: USED, limit: LIMIT }, { used: USED, limit })
}

/** The statement that writes an event for each threshold that lies between the two. */
function quotaPassed(ctx: EventContext, user_id: string, before: Level, after: Level): Rendered[] {
  const isReached = ({ used, limit }: Level) => sql`(${used}) * 100 >= threshold.value * ${limit}`
  return eventStatement(ctx, 'quota.threshold', () => ({
    thing_id: user_id,
    user_id,
    data: {
      user_id,
      threshold_percent: sql`threshold.value`,
      used_bytes: after.used,
      limit_bytes: after.limit,
    },
    from: sql`FROM usage CROSS JOIN json_each(${JSON.stringify(quotaThresholds)}) AS threshold
      WHERE user_id = ${user_id} AND NOT (${isReached(before)}) AND ${isReached(after)}`,
  }))
}

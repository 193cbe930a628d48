import { type SQL, sql } from 'drizzle-orm'
import { quotaThresholds } from '../../platform/config/event-names.ts'
import type { Rendered } from '../../platform/db/sql.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'

/** SQL: a user's used bytes and limit, in bytes. */
interface Level {
  used: SQL
  limit: SQL
}

const USED = sql`used_bytes`
const LIMIT = sql`coalesce(limit_bytes, default_limit_bytes)`

/**
 * The statements that write the events of a charge. They follow the charging statement in its batch. `added` is a SELECT of
 * the charged bytes, and of no row when nothing was charged.
 */
export function quotaUsed(ctx: EventContext, user_id: string, added: SQL): Rendered[] {
  const before = { used: sql`${USED} - (${added})`, limit: LIMIT }
  return quotaPassed(ctx, user_id, before, { used: USED, limit: LIMIT })
}

/**
 * The statements that write the events of content that replaces other content. They precede the charging statement in its
 * batch. `added` is a SELECT of the difference in bytes, and of no row when nothing is replaced.
 */
export function quotaUsedNext(ctx: EventContext, user_id: string, added: SQL): Rendered[] {
  return quotaPassed(
    ctx,
    user_id,
    { used: USED, limit: LIMIT },
    { used: sql`${USED} + (${added})`, limit: LIMIT },
  )
}

/**
 * The statements that write the events of a new limit (null: the default). They precede the statement that sets it in its
 * batch.
 */
export function quotaLimited(ctx: EventContext, user_id: string, limit_bytes: number | null): Rendered[] {
  const limit = sql`coalesce(CAST(${limit_bytes} AS INTEGER), default_limit_bytes)`
  return quotaPassed(ctx, user_id, { used: USED, limit: LIMIT }, { used: USED, limit })
}

/** The statement that writes an event for each threshold that is reached at `after` and was not at `before`. */
function quotaPassed(ctx: EventContext, user_id: string, before: Level, after: Level): Rendered[] {
  const isReached = ({ used, limit }: Level) => sql`(${used}) * 100 >= threshold.value * ${limit}`
  return eventStatement(ctx, 'quota.threshold', () => ({
    resource_id: user_id,
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

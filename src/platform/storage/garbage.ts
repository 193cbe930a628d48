import { type SQL, sql } from 'drizzle-orm'
import { keptUntil, type RequestContext, seconds } from '../context.ts'
import { isNotErased } from '../db/marks.ts'

/**
 * The columns of `garbage` that say when an object is deleted, of so many bytes, that a row no longer names: from `next_at`
 * on (Unix seconds). They are read from that row. A trigger takes the grace from what exceeds its limit.
 */
export function deletionTimes(ctx: Pick<RequestContext, 'config' | 'now_ms'>, next_at: number, bytes: SQL) {
  const until = keptUntil(ctx)
  if (until === null) return { next_at, enqueued_at: seconds(ctx) }
  return {
    kept_until: sql`iif(${isNotErased}, ${until}, NULL)`,
    kept_for: sql`iif(${isNotErased}, owner_id, NULL)`,
    // Not before `created_at`, so that an erasure can tell older content from newer.
    enqueued_at: sql`max(${seconds(ctx)}, created_at)`,
    next_at: sql`iif(${isNotErased}, ${Math.max(next_at, until)}, ${next_at})`,
    kept_bytes: bytes,
    free_at: next_at,
  }
}

/** SQL: whether the object is not queued for deletion, so that a row may name it as its content. */
export function isNotGarbage(object_key: SQL | string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM garbage WHERE garbage.object_key = ${object_key})`
}

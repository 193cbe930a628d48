import { type SQL, sql } from 'drizzle-orm'
import { isNotErased } from '../db/watermark.ts'

/** When an object is deleted, in Unix seconds. */
interface DeletionTimes {
  now: number | SQL
  /** Until when it is kept, unless its owner has been erased (`keptUntil`); null: it is not kept. */
  kept_until: number | SQL | null
  /** Before then it is not deleted in any case. */
  next_at?: number | SQL
}

/**
 * The columns of `garbage` that say when an object is deleted, of so many bytes, that a row no longer names. They are read from
 * that row. A trigger takes the grace from what exceeds its limit.
 */
export function deletionTimes({ now, kept_until, next_at = 0 }: DeletionTimes, bytes: SQL) {
  if (kept_until === null) return { next_at, enqueued_at: now }
  return {
    kept_until: sql`iif(${isNotErased}, ${kept_until}, NULL)`,
    kept_for: sql`iif(${isNotErased}, owner_id, NULL)`,
    // Not before `created_at`, so that an erasure can tell older content from newer.
    enqueued_at: sql`max(${now}, created_at)`,
    next_at: sql`iif(${isNotErased}, max(${next_at}, ${kept_until}), ${next_at})`,
    kept_bytes: bytes,
    free_at: next_at,
  }
}

/** SQL: whether the object is not queued for deletion, so that a row may name it as its content. */
export function isNotGarbage(object_key: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM garbage WHERE garbage.object_key = ${object_key})`
}

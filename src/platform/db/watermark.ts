import { type SQL, sql } from 'drizzle-orm'

/*
 * A watermark is one row in place of a write to each of many rows: a row of `erasures` says that all that a user made by `until` is
 * erased. A missing watermark counts as -1, which is before every time.
 */

/** SQL: the time (Unix seconds) such that everything that this user created by then has been erased. */
export function erasedUntil(user_id: string | SQL): SQL {
  return sql`coalesce((SELECT erasure.until FROM erasures AS erasure WHERE erasure.user_id = ${user_id}), -1)`
}

/** SQL: the `created_at` of a new row (Unix seconds). It is above the watermark even if clocks differ. */
export function createdAt(now: SQL, owner_id: SQL): SQL {
  return sql`max(${now}, ${erasedUntil(owner_id)} + 1)`
}

/** SQL: the `updated_at` of a row that changes now (Unix seconds): no earlier than its `created_at`, which may lie ahead. */
export function updatedAt(now: SQL): SQL {
  return sql`max(created_at, ${now})`
}

/** SQL: whether a row with an `owner_id` has not been erased with its owner. */
export const isNotErased = sql`created_at > ${erasedUntil(sql`owner_id`)}`

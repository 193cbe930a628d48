import { type SQL, sql } from 'drizzle-orm'

/**
 * The two marks by which one row says what would otherwise have to be written to many: that a user has been erased,
 * and that a trash has been emptied. A mark that is not there is -1: everything came later.
 */

/** SQL: everything that this user made by then, in Unix seconds, has been erased. */
export function erasedUntil(user_id: string | SQL): SQL {
  return sql`coalesce((SELECT erasure.until FROM erasures AS erasure WHERE erasure.user_id = ${user_id}), -1)`
}

/** SQL: everything of this owner's that was deleted by then, in milliseconds, is being deleted for good. */
export function emptiedAt(owner_id: string | SQL): SQL {
  return sql`coalesce((SELECT mark.emptied_at FROM trash_emptied AS mark WHERE mark.owner_id = ${owner_id}), -1)`
}

/** SQL: the `created_at` of what is made now (Unix seconds): later than what has been erased, by whatever clock. */
export function createdAt(now: number, owner_id: string | SQL): SQL {
  return sql`max(${now}, ${erasedUntil(owner_id)} + 1)`
}

/** SQL: the `updated_at` of a row that changes now (Unix seconds): no earlier than its `created_at`, which may lie ahead. */
export function updatedAt(now: number): SQL {
  return sql`max(created_at, ${now})`
}

/** SQL: the `trashed_at` of what is deleted now (milliseconds): later than what has been emptied, by whatever clock. */
export function trashedAt(now_ms: number, owner_id: string | SQL): SQL {
  return sql`max(${now_ms}, ${emptiedAt(owner_id)} + 1)`
}

/** SQL: whether a row of `game_assets` or `uploads` has not been erased with its owner. */
export const isNotErased = sql`created_at > ${erasedUntil(sql`owner_id`)}`

/** SQL: the same of a row of `shares`, which goes with its grantee; with the file's owner it goes with the file. */
export const isNotErasedShare = sql`shares.created_at > ${erasedUntil(sql`shares.grantee_id`)}`

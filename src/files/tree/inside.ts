import { type SQL, sql } from 'drizzle-orm'

/** The two indexes that together hold everything that was not deleted by itself, by place and type. */
const indexes = [
  ['files_by_created_at', 0],
  ['files_blocked_inside', 1],
] as const

/**
 * SQL: a SELECT of the ids of what lies directly inside folders, or at the root of users, and was not deleted by
 * itself: `from` is what `inside` is joined to, and `which` says what it has to do with it, by its owner, parent and
 * type. CROSS JOIN, so that SQLite goes from there to what is inside, and not the other way.
 */
export function idsInside(from: SQL, which: SQL): SQL {
  const [shown, blocked] = indexes.map(
    ([index, is]) => sql`SELECT inside.id FROM ${from} CROSS JOIN files AS inside INDEXED BY ${sql.raw(index)}
      WHERE ${which} AND inside.trashed_at IS NULL AND inside.blocked = ${sql.raw(String(is))}`,
  )
  return sql`${shown} UNION ALL ${blocked}`
}

/** SQL: whether anything lies directly inside a folder that was not deleted by itself. */
export function holdsAnything(owner_id: SQL, parent_id: SQL): SQL {
  const [shown, blocked] = indexes.map(
    ([index, is]) => sql`EXISTS (SELECT 1 FROM files AS inside INDEXED BY ${sql.raw(index)}
      WHERE inside.owner_id = ${owner_id} AND inside.parent_id = ${parent_id}
        AND inside.trashed_at IS NULL AND inside.blocked = ${sql.raw(String(is))})`,
  )
  return sql`(${shown} OR ${blocked})`
}

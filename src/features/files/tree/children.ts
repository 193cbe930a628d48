import { type SQL, sql } from 'drizzle-orm'

/**
 * The two indexes that together hold every item that was not deleted by itself, by place and type, with the `blocked` of
 * each.
 */
const indexes = [
  ['files_by_created_at', 0],
  ['files_blocked_by_type_and_created_at', 1],
] as const

/**
 * SQL: a SELECT of the ids of items that lie directly in folders, or at the root of users, and were not deleted by
 * themselves. `parents` is the table expression that `child` is joined to, and `which` joins them by the child's owner,
 * parent and type. CROSS JOIN keeps SQLite from reading the children first.
 */
export function childIds(parents: SQL, which: SQL): SQL {
  const [shown, blocked] = indexes.map(
    ([
      index,
      value,
    ]) => sql`SELECT child.id FROM ${parents} CROSS JOIN files AS child INDEXED BY ${sql.raw(index)}
      WHERE ${which} AND child.trashed_at IS NULL AND child.blocked = ${sql.raw(String(value))}`,
  )
  return sql`${shown} UNION ALL ${blocked}`
}

/** SQL: whether a folder directly contains an item that was not deleted by itself. */
export function hasChildren(owner_id: SQL, parent_id: SQL): SQL {
  const [shown, blocked] = indexes.map(
    ([index, value]) => sql`EXISTS (SELECT 1 FROM files AS child INDEXED BY ${sql.raw(index)}
      WHERE child.owner_id = ${owner_id} AND child.parent_id = ${parent_id}
        AND child.trashed_at IS NULL AND child.blocked = ${sql.raw(String(value))})`,
  )
  return sql`(${shown} OR ${blocked})`
}

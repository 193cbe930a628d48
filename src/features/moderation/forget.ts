import { type SQL, sql } from 'drizzle-orm'
import { joined } from '../../platform/db/sql.ts'

type Erased = Record<'user_id' | 'until' | 'mark', SQL | string | number>

/** The indexes by which moderation finds a user, and their columns. */
const traces = [
  ['reports', 'reports_own', 'reporter_id'],
  ['reports', 'reports_about_user', "target_type = 'user' AND target_id"],
  ['decisions', 'decisions_about', 'owner_id'],
  ['decisions', 'decisions_by_moderator', 'moderator_id'],
  ['appeals', 'appeals_by_user', 'user_id'],
  ['appeals', 'appeals_by_moderator', 'decided_by'],
  ['cases', 'cases_of_owner_oldest', 'owner_id'],
] as const

/** SQL: whether moderation names a user in a row from until a time (Unix seconds), or has a notice for them. */
export function isKnownToModeration(user_id: SQL | string | number, until: SQL | string | number): SQL {
  const named = traces.map(
    ([table, index, column]) =>
      sql`EXISTS (SELECT 1 FROM ${sql.raw(`${table} INDEXED BY ${index} WHERE ${column}`)} = ${user_id} AND created_at <= ${until})`,
  )
  const noticed = sql`EXISTS (SELECT 1 FROM moderation_notices INDEXED BY moderation_notices_by_user WHERE user_id = ${user_id})`
  return sql`(${joined([...named, noticed], ' OR ')})`
}

/**
 * The statement that takes an erased user out of up to 500 rows of each table of moderation (docs/moderating.md#erasing-a-player). It returns
 * a row when there was something. `mark` stands for the id of the user.
 */
export function forgetInModeration({ user_id, until, mark }: Erased): SQL<{ user_id: string }> {
  return sql<{ user_id: string }>`INSERT INTO moderation_erasure (user_id, until, mark)
    SELECT ${user_id}, ${until}, ${mark} WHERE ${isKnownToModeration(user_id, until)} RETURNING user_id`
}

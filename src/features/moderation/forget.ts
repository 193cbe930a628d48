import { type SQL, sql } from 'drizzle-orm'

/** An erased user, until when what they made is erased, and the text that takes the place of their id. */
interface Erased {
  user_id: string
  /** Unix seconds. */
  until: number
  mark: string
}

/** A table's rows that name a user: the SELECT of their ids, and what the erasure sets in them; null: it deletes them. */
interface Trace {
  table: string
  which: (user_id: SQL | string, until: SQL | number) => SQL
  set: ((mark: string) => SQL) | null
}

const named = (table: string, index: string, column: string): Trace['which'] => {
  const [from, name] = [sql.raw(`${table} INDEXED BY ${index}`), sql.raw(column)]
  return (user_id, until) => sql`SELECT id FROM ${from} WHERE ${name} = ${user_id} AND created_at <= ${until}`
}

/** What moderation keeps about a user. Counts, categories and measures stay. */
const traces: readonly Trace[] = [
  {
    table: 'reports',
    which: named('reports', 'reports_own', 'reporter_id'),
    set: () => sql`reporter_id = NULL, text = NULL, key_hash = NULL, request_hash = NULL`,
  },
  {
    table: 'reports',
    which: (user_id, until) => sql`SELECT id FROM reports INDEXED BY reports_about_user
      WHERE target_type = 'user' AND target_id = ${user_id} AND created_at <= ${until}`,
    set: (mark) => sql`target_id = ${mark}`,
  },
  {
    table: 'decisions',
    which: named('decisions', 'decisions_about', 'owner_id'),
    set: (mark) => sql`owner_id = NULL, name = NULL, rule = NULL, statement = '', note = NULL,
      target_id = iif(target_type = 'user', ${mark}, target_id)`,
  },
  {
    table: 'decisions',
    which: named('decisions', 'decisions_by_moderator', 'moderator_id'),
    set: () => sql`moderator_id = NULL`,
  },
  {
    table: 'appeals',
    which: named('appeals', 'appeals_by_user', 'user_id'),
    set: () => sql`user_id = NULL, text = '', answer = iif(answer IS NULL, NULL, '')`,
  },
  {
    table: 'appeals',
    which: named('appeals', 'appeals_by_moderator', 'decided_by'),
    set: () => sql`decided_by = NULL`,
  },
  {
    table: 'cases',
    which: (user_id, until) => sql`SELECT id FROM cases INDEXED BY cases_of_owner_oldest
      WHERE owner_id = ${user_id} AND created_at <= ${until}`,
    set: (mark) => sql`owner_id = NULL, target_id = iif(target_type = 'user', ${mark}, target_id)`,
  },
  {
    table: 'moderation_notices',
    which: (user_id) =>
      sql`SELECT id FROM moderation_notices INDEXED BY moderation_notices_by_user WHERE user_id = ${user_id}`,
    set: null,
  },
]

/** SQL: whether moderation keeps anything about a user from until a time (Unix seconds). */
export function isKnownToModeration(user_id: SQL | string, until: SQL | number): SQL {
  return sql.join(
    traces.map(({ which }) => sql`EXISTS (${which(user_id, until)})`),
    sql` OR `,
  )
}

/** The statements that take a user out of up to `limit` rows of each table of moderation (docs/moderating.md#erasing). */
export function forgetInModeration({ user_id, until, mark }: Erased, limit: number): SQL<{ id: string }>[] {
  return traces.map(({ table, which, set }) => {
    const some = sql`id IN (${which(user_id, until)} LIMIT ${limit})`
    const name = sql.raw(table)
    return set === null
      ? sql<{ id: string }>`DELETE FROM ${name} WHERE ${some} RETURNING id`
      : sql<{ id: string }>`UPDATE ${name} SET ${set(mark)} WHERE ${some} RETURNING id`
  })
}

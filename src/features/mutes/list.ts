import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { byId, isText, type Page, type PageRequest, pageOf, positionAt } from '../../platform/db/keyset.ts'
import type { mutes } from '../../platform/db/schema.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import type { Mute } from './schema.ts'

/** A mute as the list reads it. `user_id` is the muted user. */
interface MuteRow extends Mute, Pick<typeof mutes.$inferSelect, 'id'> {}

const newestMutes = statement(
  (p: Params<'user_id' | 'after' | 'limit'>) =>
    sql<MuteRow>`SELECT id, muted_id AS user_id, created_at FROM mutes INDEXED BY mutes_newest
      WHERE ${isOf(p.user_id)} AND id < ${p.after} ORDER BY id DESC LIMIT ${p.limit}`,
)

/** Text that is greater than every id. */
const AFTER_ALL = '~'

/** Lists the users whom the caller has muted, the last muted first. @throws INVALID_CURSOR */
export async function listMutes(
  { db, user_id }: RequestContext,
  { limit, cursor }: PageRequest,
): Promise<Page<MuteRow>> {
  const list = ['mutes']
  const after = positionAt(cursor, list, isText)?.id ?? AFTER_ALL
  const rows = await db.read(newestMutes({ user_id, after, limit: limit + 1 }))
  return pageOf(list, rows, limit, byId)
}

/** SQL: whether a row of `mutes` is one of the user's that has not been erased with the user. */
export function isOf(user_id: SQL): SQL {
  return sql`mutes.user_id = ${user_id} AND mutes.created_at > ${erasedUntil(user_id)}`
}

/** SQL: whether a user has muted another. Both are columns or parameters. */
export function hasMuted(user_id: SQL, muted_id: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM mutes WHERE ${isOf(user_id)} AND mutes.muted_id = ${muted_id})`
}

/** The statement that reads the ids of all users whom a user has muted. */
export const mutedBy = statement(
  (p: Params<'user_id'>) => sql<{ muted_id: string }>`SELECT muted_id FROM mutes WHERE ${isOf(p.user_id)}`,
)

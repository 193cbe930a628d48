import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { trashEmptied } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { emptiedAt } from '../files/tree/walk.ts'
import { markItemsPurging, purgeFirstRows, ROWS_PER_REQUEST } from './purge.ts'

/**
 * Deletes everything in the caller's trash permanently. One row records the time of the latest deletion: no answer shows
 * items that were deleted by then, however many there are. Items deleted later stay. The first rows are removed at once,
 * the rest by the job.
 */
export async function emptyTrash(ctx: RequestContext): Promise<void> {
  const { db, user_id } = ctx
  db.usePrimary()
  await db.write([
    recordEmptied(user_id),
    markEmptied(user_id, ROWS_PER_REQUEST),
    ...purgeFirstRows(ctx, user_id),
    deleteEmptied(user_id),
  ])
}

/** The statement that records the time of the latest deletion in a user's trash as the time until which it is emptied. */
export function recordEmptied(owner_id: string): SQL {
  const latest = sql`FROM files INDEXED BY files_in_trash
    WHERE owner_id = ${owner_id} AND trashed_at IS NOT NULL AND purging = 0 AND trashed_at > ${emptiedAt(owner_id)}
    ORDER BY trashed_at DESC, id DESC LIMIT 1`
  return sql`${insert(trashEmptied, { owner_id: sql`owner_id`, emptied_at: sql`trashed_at` }, latest)}
    ON CONFLICT (owner_id) DO UPDATE SET emptied_at = excluded.emptied_at`
}

/** The statement that marks up to `limit` items of a user's emptied trash to be purged. Answers their ids. */
export function markEmptied(owner_id: string, limit: number): SQL<{ id: string }> {
  return markItemsPurging(sql`SELECT item.id FROM files AS item INDEXED BY files_in_trash
    WHERE item.owner_id = ${owner_id} AND item.trashed_at <= ${emptiedAt(owner_id)}
      AND item.trashed_at IS NOT NULL AND item.purging = 0 LIMIT ${limit}`)
}

/** The statement that deletes the recorded time once every item of the emptied trash is marked. Answers the owner's id. */
export function deleteEmptied(owner_id: string): SQL<{ id: string }> {
  return sql`DELETE FROM trash_emptied WHERE owner_id = ${owner_id} AND NOT EXISTS (
      SELECT 1 FROM files AS item INDEXED BY files_in_trash
      WHERE item.owner_id = trash_emptied.owner_id AND item.trashed_at <= trash_emptied.emptied_at
        AND item.trashed_at IS NOT NULL AND item.purging = 0
    ) RETURNING owner_id AS id`
}

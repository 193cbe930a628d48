import { sql } from 'drizzle-orm'
import type { RequestContext } from '../../platform/context.ts'
import { trashEmptied } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { emptiedAt } from '../files/path.ts'
import { purgeFirstRows, ROWS_PER_REQUEST, setPurging } from './purge.ts'

/**
 * Deletes everything in the caller's trash permanently. One row records the time of the latest deletion: no answer shows
 * items that were deleted by then, however many there are. Items deleted later stay. The first rows are removed at once,
 * the rest by the job.
 */
export async function emptyTrash(ctx: RequestContext): Promise<void> {
  const { db, user_id: owner_id } = ctx
  db.usePrimary()
  await db.write([
    recordEmptied({ owner_id }),
    markEmptied({ owner_id, limit: ROWS_PER_REQUEST }),
    ...purgeFirstRows(ctx, owner_id),
    deleteEmptied({ owner_id }),
  ])
}

/** The statement that records the time of the latest deletion in a user's trash as the time until which it is emptied. */
export const recordEmptied = statement((p: Params<'owner_id'>) => {
  const latest = sql`FROM files INDEXED BY files_in_trash
    WHERE owner_id = ${p.owner_id} AND trashed_at IS NOT NULL AND purging = 0 AND trashed_at > ${emptiedAt(p.owner_id)}
    ORDER BY trashed_at DESC, id DESC LIMIT 1`
  return sql`${insert(trashEmptied, { owner_id: sql`owner_id`, emptied_at: sql`trashed_at` }, latest)}
    ON CONFLICT (owner_id) DO UPDATE SET emptied_at = excluded.emptied_at`
})

/** The statement that marks up to `limit` items of a user's emptied trash to be purged. Answers their ids. */
export const markEmptied = statement((p: Params<'owner_id' | 'limit'>) =>
  setPurging(sql`SELECT item.id FROM files AS item INDEXED BY files_in_trash
    WHERE item.owner_id = ${p.owner_id} AND item.trashed_at <= ${emptiedAt(p.owner_id)}
      AND item.trashed_at IS NOT NULL AND item.purging = 0 LIMIT ${p.limit}`),
)

/** The statement that deletes the recorded time once every item of the emptied trash is marked. Answers the owner's id. */
export const deleteEmptied = statement(
  (p: Params<'owner_id'>) => sql<{
    id: string
  }>`DELETE FROM trash_emptied WHERE owner_id = ${p.owner_id} AND NOT EXISTS (
      SELECT 1 FROM files AS item INDEXED BY files_in_trash
      WHERE item.owner_id = trash_emptied.owner_id AND item.trashed_at <= trash_emptied.emptied_at
        AND item.trashed_at IS NOT NULL AND item.purging = 0
    ) RETURNING owner_id AS id`,
)

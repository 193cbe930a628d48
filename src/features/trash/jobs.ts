import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, trashExpiry } from '../../platform/context.ts'
import { rowsChangedBy } from '../../platform/db/database.ts'
import { stepOfNextOwner } from '../../platform/jobs/owners.ts'
import { deleteEmptied, markEmptied } from './empty.ts'
import { markItemsPurging, purgeMarked } from './purge.ts'

/** Marks up to BATCH_SIZE items to be purged that were deleted TRASH_RETENTION_DAYS ago or earlier. Returns how many. */
export async function markExpiredTrash(ctx: JobContext): Promise<number> {
  const expired = sql`SELECT id FROM files
    WHERE trashed_at IS NOT NULL AND purging = 0 AND trashed_at <= ${trashExpiry(ctx)} LIMIT ${BATCH_SIZE}`
  return (await ctx.db.write(markItemsPurging(expired))).length
}

/** Marks up to BATCH_SIZE items of the next owner's emptied trash to be purged. Returns how many rows it changed. */
export function markEmptiedTrash(ctx: JobContext): Promise<number> {
  const nextOwner = (after: SQL) =>
    sql`SELECT owner_id FROM trash_emptied WHERE owner_id > ${after} ORDER BY owner_id LIMIT 1`
  return stepOfNextOwner(ctx, 'trash_emptied', nextOwner, (owner_id) =>
    rowsChangedBy(ctx.db, [markEmptied(owner_id, BATCH_SIZE), deleteEmptied(owner_id)]),
  )
}

/** Purges up to BATCH_SIZE marked items of the next owner. Returns how many rows it marked, changed or removed. */
export function purgeMarkedFiles(ctx: JobContext): Promise<number> {
  const nextOwner = (after: SQL) =>
    sql`SELECT owner_id FROM files WHERE purging = 1 AND owner_id > ${after} ORDER BY owner_id LIMIT 1`
  return stepOfNextOwner(ctx, 'rows_purged', nextOwner, async (owner_id) => {
    let changed = 0
    for (const batch of purgeMarked(ctx, owner_id, BATCH_SIZE)) changed += await rowsChangedBy(ctx.db, batch)
    return changed
  })
}

import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, trashExpiry } from '../../platform/context.ts'
import { rowsChangedBy } from '../../platform/db/database.ts'
import { stepOfNextOwner } from '../../platform/jobs/owners.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { deleteEmptied, markEmptied } from './empty.ts'
import { purgeMarked, setPurging } from './purge.ts'

/** The tasks of the trash. */
export const trashTasks = {
  trash_emptied: {
    step: markEmptiedTrash,
    due: () => emptiedAfter(sql`''`),
    queries: 8,
    calls: 0,
    feeds: ['rows_purged'],
  },
  trash_expired: { step: markExpiredTrash, due: expiredTrash, queries: 2, calls: 0, feeds: ['rows_purged'] },
  rows_purged: {
    step: purgeMarkedFiles,
    due: () => markedAfter(sql`''`),
    queries: 33,
    calls: 0,
    feeds: ['objects_removed'],
  },
} as const satisfies Record<string, Task>

function expiredTrash(ctx: JobContext): SQL {
  return sql`SELECT id FROM files
    WHERE trashed_at IS NOT NULL AND purging = 0 AND trashed_at <= ${trashExpiry(ctx)} LIMIT ${BATCH_SIZE}`
}

/** Marks up to BATCH_SIZE items to be purged that were deleted TRASH_RETENTION_DAYS ago or earlier. Returns how many. */
async function markExpiredTrash(ctx: JobContext): Promise<number> {
  return (await ctx.db.write(setPurging(expiredTrash(ctx)))).length
}

/** SQL: the next owner after `after` whose emptied trash has not been marked. */
function emptiedAfter(after: SQL): SQL {
  return sql`SELECT owner_id FROM trash_emptied WHERE owner_id > ${after} ORDER BY owner_id LIMIT 1`
}

/** Marks up to BATCH_SIZE items of the next owner's emptied trash to be purged. Returns how many rows it changed. */
function markEmptiedTrash(ctx: JobContext): Promise<number> {
  return stepOfNextOwner(ctx, 'trash_emptied', emptiedAfter, (owner_id) =>
    rowsChangedBy(ctx.db, [markEmptied({ owner_id, limit: BATCH_SIZE }), deleteEmptied({ owner_id })]),
  )
}

/** SQL: the next owner after `after` of an item that is to be purged. */
function markedAfter(after: SQL): SQL {
  return sql`SELECT owner_id FROM files WHERE purging = 1 AND owner_id > ${after} ORDER BY owner_id LIMIT 1`
}

/** Purges up to BATCH_SIZE marked items of the next owner. Returns how many rows it marked, changed or removed. */
function purgeMarkedFiles(ctx: JobContext): Promise<number> {
  return stepOfNextOwner(ctx, 'rows_purged', markedAfter, async (owner_id) => {
    let changed = 0
    for (const batch of purgeMarked(ctx, owner_id, BATCH_SIZE)) changed += await rowsChangedBy(ctx.db, batch)
    return changed
  })
}

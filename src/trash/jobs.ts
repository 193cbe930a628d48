import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, trashExpiry } from '../context.ts'
import { stepOfNextOwner } from '../jobs/owners.ts'
import { markPurging, purgeEmptiedStep, purgeStep } from './purge.ts'

/** Marks items that have been in the trash for TRASH_RETENTION_DAYS to be purged. Returns how many. */
export function markExpiredTrash(ctx: JobContext): Promise<number> {
  return markPurging(ctx.db, sql`trashed_at <= ${trashExpiry(ctx)}`)
}

/** Marks what the next owner has emptied from the trash to be purged. Returns how many rows it changed. */
export function purgeEmptiedTrash(ctx: JobContext): Promise<number> {
  const after = (owner_id: SQL) =>
    sql`SELECT owner_id FROM trash_emptied WHERE owner_id > ${owner_id} ORDER BY owner_id LIMIT 1`
  return stepOfNextOwner(ctx, 'trash_emptied', after, (owner_id) => purgeEmptiedStep(ctx.db, owner_id))
}

/** Removes marked items of the next owner, and what lies below them. Returns how many rows it changed or removed. */
export function purgeMarked(ctx: JobContext): Promise<number> {
  const after = (owner_id: SQL) =>
    sql`SELECT owner_id FROM files WHERE purging = 1 AND owner_id > ${owner_id} ORDER BY owner_id LIMIT 1`
  return stepOfNextOwner(ctx, 'rows_purged', after, (owner_id) => purgeStep(ctx.db, ctx.now_ms, owner_id))
}

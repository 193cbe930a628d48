import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, keptUntil, trashExpiry } from '../../platform/context.ts'
import { stepOfNextOwner } from '../../platform/jobs/owners.ts'
import { markDeletedAssets, purgeAssetsStep } from './purge.ts'

/** Marks assets that were deleted more than TRASH_RETENTION_DAYS ago to be removed. Returns how many. */
export function markExpiredAssets(ctx: JobContext): Promise<number> {
  return markDeletedAssets(ctx.db, trashExpiry(ctx), keptUntil(ctx))
}

/** Removes marked assets of the next owner, versions first. Returns how many rows it removed. */
export function purgeAssets(ctx: JobContext): Promise<number> {
  const nextOwner = (after: SQL) =>
    sql`SELECT owner_id FROM game_assets WHERE purging = 1 AND owner_id > ${after} ORDER BY owner_id LIMIT 1`
  return stepOfNextOwner(ctx, 'assets_purged', nextOwner, (owner_id) =>
    purgeAssetsStep(ctx, sql`owner_id = ${owner_id}`),
  )
}

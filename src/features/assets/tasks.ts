import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, keptUntil, trashExpiry } from '../../platform/context.ts'
import { branchHints } from '../../platform/db/schema.ts'
import { stepOfNextOwner } from '../../platform/jobs/owners.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { oldHints } from '../../platform/shards/check-hints.ts'
import { deletedAssets, markDeletedAssets, purgeAssetsStep } from './delete.ts'
import { checkBranchHints } from './hints.ts'
import { checkMarkers } from './markers.ts'

/** The tasks of assets. */
export const assetTasks = {
  assets_expired: {
    step: markExpiredAssets,
    due: (ctx) => deletedAssets(trashExpiry(ctx)),
    queries: 2,
    calls: 0,
    feeds: ['assets_purged'],
  },
  assets_purged: {
    step: purgeAssets,
    due: () => markedAfter(sql`''`),
    queries: 10,
    calls: 0,
    feeds: ['objects_removed', 'favorites_counted'],
  },
  branch_hints_checked: {
    step: checkBranchHints,
    due: (ctx) => oldHints(ctx, branchHints),
    queries: 12,
    calls: 0,
  },
  markers_checked: { step: checkMarkers, queries: 4, calls: 1, feeds: ['objects_removed'] },
} as const satisfies Record<string, Task>

/** Marks up to BATCH_SIZE assets to be purged that were deleted TRASH_RETENTION_DAYS ago or earlier. Returns how many. */
async function markExpiredAssets(ctx: JobContext): Promise<number> {
  return (await ctx.db.write(markDeletedAssets(trashExpiry(ctx), keptUntil(ctx)))).length
}

/** SQL: the next owner after `after` of an asset that is to be purged. */
function markedAfter(after: SQL): SQL {
  return sql`SELECT owner_id FROM game_assets WHERE purging = 1 AND owner_id > ${after} ORDER BY owner_id LIMIT 1`
}

/** Purges up to BATCH_SIZE marked assets of the next owner, variants and versions first. Returns how many rows it removed. */
export function purgeAssets(ctx: JobContext): Promise<number> {
  return stepOfNextOwner(ctx, 'assets_purged', markedAfter, (owner_id) => purgeAssetsStep(ctx, { owner_id }))
}

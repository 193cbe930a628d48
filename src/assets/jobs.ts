import sql, { type Sql } from 'sql-template-tag'
import type { Job } from '../context.ts'
import { stepOfNextOwner } from '../jobs/owners.ts'
import { retiredBefore } from '../jobs/retention.ts'
import { markAssetsPurging, purgeAssetsStep } from './purge.ts'

/** Marks what has been deleted for TRASH_RETENTION_DAYS to be purged. */
export function retireAssets(job: Job): Promise<number> {
  return markAssetsPurging(job.db, retiredBefore(job))
}

/** Removes what is marked, versions first, of the next owner. */
export function purgeAssets(job: Job): Promise<number> {
  const after = (owner_id: Sql) =>
    sql`SELECT owner_id FROM game_assets WHERE purging = 1 AND owner_id > ${owner_id} ORDER BY owner_id LIMIT 1`
  return stepOfNextOwner(job, 'assets_purged', after, (owner_id) =>
    purgeAssetsStep(job.db, sql`owner_id = ${owner_id}`),
  )
}

import { markAssetsPurging, purgeAssetsStep } from '../game-assets/purge.ts'
import type { Job } from '../work.ts'
import { retiredBefore } from './retention.ts'

/** Marks what has been deleted for TRASH_RETENTION_DAYS to be purged. */
export function retireAssets(job: Job): Promise<number> {
  return markAssetsPurging(job.db, retiredBefore(job))
}

/** Removes what is marked, versions first. */
export function purgeAssets({ db }: Job): Promise<number> {
  return purgeAssetsStep(db)
}

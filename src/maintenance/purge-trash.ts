import sql from 'sql-template-tag'
import { markPurging, purgeStep } from '../trash/purge.ts'
import type { Job } from '../work.ts'
import { retiredBefore } from './retention.ts'

/** Marks what has been in the trash for TRASH_RETENTION_DAYS to be purged. */
export function retireTrash(job: Job): Promise<number> {
  return markPurging(job.db, sql`trashed_at <= ${retiredBefore(job)}`)
}

/** Removes what is marked, and what lies below it. */
export async function purgeMarked({ db, now_ms }: Job): Promise<number> {
  const { folders, others } = await purgeStep(db, now_ms)
  return folders + others
}

import sql from 'sql-template-tag'
import { markPurging, purgeStep } from '../trash/purge.ts'
import type { Job } from './job.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** Marks what has been in the trash for TRASH_RETENTION_DAYS to be purged. */
export function retireTrash({ db, config, now_ms }: Job): Promise<number> {
  return markPurging(db, sql`trashed_at <= ${now_ms - config.TRASH_RETENTION_DAYS * DAY_MS}`)
}

/** Removes what is marked, and what lies below it. */
export function purgeMarked({ db, now_ms }: Job): Promise<number> {
  return purgeStep(db, now_ms)
}

import type { Job } from '../context.ts'

export const DAY_MS = 24 * 60 * 60 * 1_000

/** What was deleted by then, in milliseconds, is no longer kept. */
export function retiredBefore({ config, now_ms }: Job): number {
  return now_ms - config.TRASH_RETENTION_DAYS * DAY_MS
}

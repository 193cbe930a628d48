import type { JobContext } from '../context.ts'

export const DAY_MS = 24 * 60 * 60 * 1_000

/** What was deleted by then, in milliseconds, is no longer kept. */
export function expiredBefore({ config, now_ms }: JobContext): number {
  return now_ms - config.TRASH_RETENTION_DAYS * DAY_MS
}

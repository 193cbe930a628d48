import sql from 'sql-template-tag'
import { within } from '../deadline.ts'
import type { Job } from '../work.ts'
import { DAY_MS } from './retention.ts'

/** As many objects as one step looks at. */
const SLICE = 1_000

/**
 * Looks through a slice of the bucket, where the last one ended, for objects older than a day that no record
 * knows, and removes them. A key that no record knows never becomes known again: records come first. A run goes
 * on to the next slice as long as it finds some, and otherwise leaves that to the next run.
 */
export async function removeOrphans({ db, bucket, config, now_ms }: Job): Promise<number> {
  const [progress] = await db.all<{ position: string | null }>(
    sql`SELECT position FROM progress WHERE task = 'orphans'`,
  )
  const listing = bucket.list({ limit: SLICE, startAfter: progress?.position ?? undefined })
  const listed = await within(config.CALL_TIMEOUT_MS, listing)
  const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < now_ms - DAY_MS)
  const unknown = await db.all<{ key: string }>(
    sql`SELECT value AS key FROM json_each(${JSON.stringify(old.map(({ key }) => key))})
      WHERE NOT EXISTS (SELECT 1 FROM uploads WHERE id = value)
        AND NOT EXISTS (SELECT 1 FROM files WHERE object_key = value)
        AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = value)
        AND NOT EXISTS (SELECT 1 FROM garbage WHERE object_key = value)`,
  )
  if (unknown.length > 0) await within(config.CALL_TIMEOUT_MS, bucket.delete(unknown.map(({ key }) => key)))
  const position = listed.truncated ? (listed.objects.at(-1)?.key ?? null) : null
  await db.all(
    sql`INSERT INTO progress (task, position) VALUES ('orphans', ${position})
      ON CONFLICT (task) DO UPDATE SET position = excluded.position`,
  )
  return unknown.length
}

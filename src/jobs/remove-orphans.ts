import { sql } from 'drizzle-orm'
import { seconds } from '../context.ts'
import { withTimeout } from '../lib/timeout.ts'
import { hasMarker } from './bucket-marker.ts'
import { DAY_MS } from './retention.ts'
import type { StepContext } from './step.ts'

/** As many objects as one step looks at. */
const SLICE = 1_000

/**
 * How long after the end of its upload's time an object is looked at: a PUT that began in time has ended by then. An
 * upload that has ended is forgotten no earlier.
 */
const AFTER_UPLOAD_MS = DAY_MS

/** How long an object that no record knows stays on the garbage list, in seconds. */
const WAIT = 7 * 24 * 60 * 60

/** So many unknown objects in a slice are too many, if they are more than one of twenty: then the records are wrong. */
const [TOO_MANY, ONE_OF] = [20, 20]

/** A UUID of version 7. Other keys are none of ours. */
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * Looks at the next slice of the bucket, in the order in which the objects' uploads began, and puts those that no record
 * knows on the garbage list for a week. Each object is looked at once, when no URL can write it any more and the row of
 * its upload is still there: `forgetUploads` leaves it until the walk has passed.
 *
 * @throws Error when more objects are unknown than can be
 */
export async function removeOrphans({ db, bucket, config, now_ms, marker }: StepContext): Promise<number> {
  if (marker === undefined) return 0
  const until_ms = now_ms - config.UPLOAD_TTL * 1_000 - AFTER_UPLOAD_MS
  const until = firstIdOf(until_ms)
  // Without a position the walk begins here: of what is older, uploads may have been forgotten.
  const [progress] = await db.all<{ position: string }>(
    sql`INSERT INTO progress (task, position) VALUES ('bucket_walk', ${until})
      ON CONFLICT (task) DO UPDATE SET position = coalesce(position, excluded.position) RETURNING position`,
  )
  if (!progress || progress.position >= until) return 0
  const { position } = progress
  const listing = bucket.list({ limit: SLICE, startAfter: position })
  const listed = await withTimeout(config.CALL_TIMEOUT_MS, listing)
  const keys = listed.objects.map(({ key }) => key).filter((key) => key < until)
  const ids = keys.filter((key) => ID.test(key))
  const isUnknown = sql`NOT EXISTS (SELECT 1 FROM uploads WHERE id = value)
    AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = value)
    AND NOT EXISTS (SELECT 1 FROM garbage WHERE object_key = value)`
  const unknown = await db.all<{ key: string }>(
    sql`SELECT value AS key FROM json_each(${JSON.stringify(ids)}) WHERE ${isUnknown}`,
  )
  if (unknown.length >= TOO_MANY && unknown.length * ONE_OF > ids.length)
    throw new Error(
      `${unknown.length} of ${ids.length} objects are unknown, so none is removed: from ${ids[0]} to ${ids.at(-1)}. ` +
        'See "When database and bucket differ" in the README',
    )
  const isAtEnd = !listed.truncated || keys.length < listed.objects.length
  const isPaired = hasMarker(marker)
  const now = seconds({ now_ms })
  await db.batch([
    sql`INSERT INTO garbage (object_key, writable_until, next_at, is_orphan)
      SELECT value, ${now}, ${now + WAIT}, 1 FROM json_each(${JSON.stringify(unknown.map(({ key }) => key))})
      WHERE ${isUnknown} AND ${isPaired}`,
    sql`UPDATE progress SET position = ${isAtEnd ? until : (keys.at(-1) ?? until)}
      WHERE task = 'bucket_walk' AND position = ${position} AND ${isPaired}`,
  ])
  if (unknown.length > 0)
    console.warn(JSON.stringify({ message: 'objects that no record knows', count: unknown.length }))
  // Also when it has only moved on: `forgetUploads` waits for that.
  return Math.max(ids.length, 1)
}

/** The least id of that time: ids sort by it. */
function firstIdOf(time_ms: number): string {
  const time = Math.max(time_ms, 0).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

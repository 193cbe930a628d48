import { sql } from 'drizzle-orm'
import { keptUntil, type StepContext, seconds } from '../context.ts'
import { BUCKET_WALK } from '../db/enumerations.ts'
import { isId } from '../db/id.ts'
import { garbage, progress } from '../db/schema.ts'
import { insert } from '../db/sql.ts'
import { logWarning } from '../lib/log.ts'
import { DAY, MINUTE } from '../lib/time-units.ts'
import { withTimeout } from '../lib/timeout.ts'
import { isOpenHere } from '../shards/partitions.ts'
import { isPairedBy } from './pairing.ts'

/** The number of objects that one step looks at. */
const SLICE = 1_000

/**
 * An object is looked at this long after its upload expires, in seconds: a PUT that began in time has ended by then.
 * `deleteEndedUploads` keeps the row of the upload until then.
 */
const AFTER_EXPIRY = DAY

/** How long an unknown object waits in `garbage` before it is deleted, at least, in seconds. */
const WAIT = 7 * DAY

/**
 * A slice that holds at least MOST_UNKNOWN unknown objects, more than one in MOST_UNKNOWN_ONE_IN, means that the
 * database is wrong.
 */
const MOST_UNKNOWN = 20
const MOST_UNKNOWN_ONE_IN = 20

/**
 * Looks at the next slice of the bucket, in the order in which the objects' uploads started, and queues those without a
 * record for deletion in a week; with several databases, each looks at those that belong to it. The walk passes each
 * object once: after the last URL to it has expired, and while the row of its upload is still there, which
 * `deleteEndedUploads` keeps until the walk has passed. Returns how many objects it looked at, at least 1 when the
 * position moved.
 *
 * @throws Error when more objects are unknown than MOST_UNKNOWN allows
 */
export async function removeOrphans(ctx: StepContext): Promise<number> {
  const { db, bucket, config, now_ms, pairing_id } = ctx
  if (pairing_id === undefined) return 0
  const until = firstIdOf(wholeMinute(now_ms) - (config.UPLOAD_TTL + AFTER_EXPIRY) * 1_000)
  // Without a position the walk begins here: the rows of older uploads may have been deleted.
  const [walk] = await db.write<{ position: string }>(
    sql`${insert(progress, { task: BUCKET_WALK, position: until })}
      ON CONFLICT (task) DO UPDATE SET position = coalesce(position, excluded.position) RETURNING position`,
  )
  if (!walk || walk.position >= until) return 0
  const { position } = walk
  const listing = bucket.list({ limit: SLICE, startAfter: position })
  const listed = await withTimeout(config.CALL_TIMEOUT_MS, listing)
  const keys = listed.objects.map(({ key }) => key).filter((key) => key < until)
  const ids = keys.filter(isId)
  const isOwn = isOpenHere(sql`substr(value, 21, 3)`, db.name)
  const isUnknown = sql`${isOwn} AND NOT EXISTS (SELECT 1 FROM uploads WHERE id = value)
    AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = value)
    AND NOT EXISTS (SELECT 1 FROM garbage WHERE object_key = value)`
  const from = sql`FROM json_each(${JSON.stringify(ids)}) WHERE`
  const { unknown, own } = await db.read({
    unknown: sql<{ key: string }>`SELECT value AS key ${from} ${isUnknown}`,
    own: sql<{ count: number }>`SELECT count(*) AS count ${from} ${isOwn}`,
  })
  const count = own[0]?.count ?? ids.length
  if (unknown.length >= MOST_UNKNOWN && unknown.length * MOST_UNKNOWN_ONE_IN > count)
    throw new Error(
      `${unknown.length} of ${count} objects are unknown, so none is removed: from ${ids[0]} to ${ids.at(-1)}. ` +
        'See docs/operating.md#objects-without-a-record',
    )
  const isAtEnd = !listed.truncated || keys.length < listed.objects.length
  const isPaired = isPairedBy(pairing_id)
  const now = seconds({ now_ms })
  const orphan = {
    object_key: sql`value`,
    writable_until: now,
    next_at: nextOfOrphan(ctx),
    is_orphan: 1,
  } as const
  const orphans = sql`FROM json_each(${JSON.stringify(unknown.map(({ key }) => key))}) WHERE ${isUnknown} AND ${isPaired}`
  await db.write([
    insert(garbage, orphan, orphans),
    sql`UPDATE progress SET position = ${isAtEnd ? until : (keys.at(-1) ?? until)}
      WHERE task = ${BUCKET_WALK} AND position = ${position} AND ${isPaired}`,
  ])
  if (unknown.length > 0) logWarning('objects that no record knows', { count: unknown.length })
  // At least 1: `deleteEndedUploads` may have something to do when the position has moved.
  return Math.max(ids.length, 1)
}

/** When an unknown object is deleted that was queued now, in Unix seconds: no sooner than content that was purged now. */
export function nextOfOrphan(ctx: Pick<StepContext, 'config' | 'now_ms'>): number {
  return Math.max(seconds(ctx) + WAIT, keptUntil(ctx) ?? 0)
}

/** The minute of a time. Otherwise the walk moves on in each of the runs that follow each other, and none is the last. */
function wholeMinute(time_ms: number): number {
  return time_ms - (time_ms % (MINUTE * 1_000))
}

/** The least id of that time (milliseconds): ids sort by time. */
function firstIdOf(time_ms: number): string {
  const time = Math.max(time_ms, 0).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

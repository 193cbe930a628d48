import { sql } from 'drizzle-orm'
import { type StepContext, seconds } from '../context.ts'
import { garbage, progress } from '../db/schema.ts'
import { insert } from '../db/sql.ts'
import { DAY, HOUR } from '../lib/time-units.ts'
import { withTimeout } from '../lib/timeout.ts'
import { MARKERS, markerIn } from '../shards/markers.ts'
import { isOpenHere } from '../shards/partitions.ts'
import { isPairedBy } from './pairing.ts'

/** The task of `progress` with the time at which the walk began (Unix seconds) and, after a space, the last key that it has passed. */
const MARKER_WALK = 'marker_walk'

/** A marker of this age without its version never gets one, in seconds: the timeouts of a branch's calls are shorter. */
const SETTLED_SECONDS = HOUR

/** The time from the beginning of a walk to that of the next one, in seconds. */
const WALK_SECONDS = DAY

/** The most markers that one step checks. */
const MAX_MARKERS = 1_000

/**
 * Checks the next markers of the bucket (src/platform/shards/markers.ts), and queues for deletion those whose asset belongs to
 * this database and has no version with the content: a branch failed after it had put its marker. Each database checks the
 * markers of its own assets. Returns how many markers it looked at, at least 1 when the position moved.
 */
export async function checkMarkers({ db, bucket, config, now_ms, pairing_id }: StepContext): Promise<number> {
  if (pairing_id === undefined) return 0
  const now = seconds({ now_ms })
  const [walk] = await db.read<{ position: string }>(
    sql`SELECT position FROM progress WHERE task = ${MARKER_WALK}`,
  )
  const [began = '', after] = walk?.position.split(' ') ?? []
  const isUnderWay = after !== undefined
  if (!isUnderWay && Number(began) + WALK_SECONDS > now) return 0
  const startAfter = after ?? MARKERS
  const listing = bucket.list({ prefix: MARKERS, startAfter, limit: MAX_MARKERS })
  const { objects, truncated } = await withTimeout(config.CALL_TIMEOUT_MS, listing)
  const old = objects.filter(({ uploaded }) => uploaded.getTime() < now_ms - SETTLED_SECONDS * 1_000)
  const markers = old.flatMap(({ key }) => {
    const found = markerIn(key)
    return found ? [{ key, ...found }] : []
  })
  const last = objects.at(-1)?.key ?? startAfter
  const start = isUnderWay ? began : String(now)
  const position = truncated ? `${start} ${last}` : start
  const superfluous = sql`FROM json_each(${JSON.stringify(markers)})
    WHERE ${isOpenHere(sql`substr(value ->> 'asset_id', 21, 3)`, db.name)} AND ${isPairedBy(pairing_id)} AND NOT EXISTS (
      SELECT 1 FROM asset_versions WHERE object_key = value ->> 'object_key'
        AND substr(asset_id, 21, 3) = substr(value ->> 'asset_id', 21, 3) AND asset_id = value ->> 'asset_id')`
  await db.write([
    sql`${insert(garbage, { object_key: sql`value ->> 'key'`, writable_until: 0 }, superfluous)}
      ON CONFLICT (object_key) DO NOTHING`,
    sql`${insert(progress, { task: MARKER_WALK, position })}
      ON CONFLICT (task) DO UPDATE SET position = excluded.position`,
  ])
  return Math.max(objects.length, 1)
}

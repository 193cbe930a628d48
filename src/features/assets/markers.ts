import { type SQL, sql } from 'drizzle-orm'
import {
  type RequestContext,
  type StepContext,
  type StorageContext,
  seconds,
} from '../../platform/context.ts'
import { isId, partitionIn, partitionOf } from '../../platform/db/id.ts'
import { garbage, progress } from '../../platform/db/schema.ts'
import { provesNoWrite } from '../../platform/db/session.ts'
import { insert } from '../../platform/db/sql.ts'
import { storageUnavailable } from '../../platform/errors.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import { DAY, HOUR } from '../../platform/lib/units.ts'
import { isOpenHere } from '../../platform/shards/partitions.ts'
import { isPairedBy } from '../../platform/storage/pairing.ts'
import { isContent } from './variants.ts'

/*
 * The job of a partition's database deletes the content that was uploaded in the partition, and does not see versions of other
 * databases (docs/scaling.md). So a version with content of another partition has a marker: an empty object, put before the
 * version is written and removed after the version is. R2's lists are consistent: they have every object that was put before.
 */

/** The prefix of the markers' keys. */
export const MARKERS = 'refs/'

/** A marker: the asset has, had or is about to have a version with the content. */
export interface Marker {
  object_key: string
  asset_id: string
}

/** The key of a marker. The trigger `asset_versions_after_delete_release` makes the same key. */
export function markerKey({ object_key, asset_id }: Marker): string {
  return `${MARKERS}${object_key}/${asset_id}`
}

/** The marker with this key; undefined for any other key. */
export function markerIn(key: string): Marker | undefined {
  const [object_key, asset_id, ...more] = key.slice(MARKERS.length).split('/')
  if (!key.startsWith(MARKERS) || !isId(object_key) || !isId(asset_id) || more.length > 0) return undefined
  return { object_key, asset_id }
}

/** Puts a marker. @throws UNAVAILABLE */
export async function putMarker({ bucket, config }: StorageContext, marker: Marker): Promise<void> {
  await withTimeout(config.CALL_TIMEOUT_MS, bucket.put(markerKey(marker), '')).catch(storageUnavailable)
}

/** Removes the marker of a version that was not written. After a failure, and with JOB=off, the marker is left to the job. */
async function removeMarker({ bucket, config }: StorageContext, marker: Marker): Promise<void> {
  if (config.JOB === 'off') return
  const key = markerKey(marker)
  try {
    await withTimeout(config.CALL_TIMEOUT_MS, bucket.delete(key))
  } catch (error) {
    logWarning('a marker is left to the job', { key, error: String(error) })
  }
}

/** Contents with a marker, and contents that were not checked. Content in neither set has no marker. */
interface MarkedContents {
  marked: Set<string>
  /** Contents whose markers were not listed, because the calls did not suffice. */
  unknown: string[]
}

/**
 * Lists the markers of contents, with at most `calls` calls. Markers are few, so one call mostly covers all contents. Each call
 * covers one content at least.
 */
export async function listMarkers(
  { bucket, config }: StorageContext,
  object_keys: string[],
  calls: number,
): Promise<MarkedContents> {
  const marked = new Set<string>()
  let unknown = [...object_keys].sort()
  for (let call = 0; call < calls && unknown.length > 0; call++) {
    const startAfter = `${MARKERS}${unknown[0]}`
    const listing = bucket.list({ prefix: MARKERS, startAfter })
    const { objects, truncated } = await withTimeout(config.CALL_TIMEOUT_MS, listing)
    const found = new Set(objects.map(({ key }) => contentOf(key)))
    for (const key of unknown) if (found.has(key)) marked.add(key)
    const last = contentOf(objects.at(-1)?.key ?? '')
    unknown = truncated ? unknown.filter((key) => key > last) : []
  }
  return { marked, unknown }
}

/** The key of the content that the key of a marker names. */
function contentOf(marker: string): string {
  return marker.slice(MARKERS.length).split('/')[0] ?? ''
}

/** SQL: whether content was uploaded in a partition: a version of an asset in that partition needs no marker. */
export function isOwnContent(object_key: SQL, partition: SQL): SQL {
  return sql`substr(${object_key}, 21, 3) = ${partition}`
}

/**
 * SQL: whether the content of a source in another database can be shared with an asset in this partition. Content that was
 * uploaded in the partition may be gone; a marker keeps other content.
 */
export function isContentKept(object_key: SQL, partition: SQL): SQL {
  return sql`(NOT ${isOwnContent(object_key, partition)}
    OR EXISTS (SELECT 1 FROM garbage WHERE object_key = ${object_key} AND is_version = 1 AND deleting = 0)
    OR ${isContent(sql`content.object_key = ${object_key} AND substr(content.asset_id, 21, 3) = ${partition}`)})`
}

/**
 * Writes a version of an asset with the markers that keep those of its contents that were uploaded in another partition. The markers
 * are put before the version, and removed when the version is certainly not written. Content of the caller's own partition needs no
 * marker: the batch that writes the version removes the content from `garbage`, or is refused.
 *
 * @throws UNAVAILABLE, and what `write` throws
 */
export async function keepContents<Made>(
  ctx: RequestContext,
  { asset_id, object_keys }: { asset_id: string; object_keys: string[] },
  write: () => Promise<Made | undefined>,
): Promise<Made | undefined> {
  const markers = object_keys
    .filter((object_key) => partitionIn(object_key) !== partitionOf(ctx.user_id))
    .map((object_key) => ({ object_key, asset_id }))
  const removeMarkers = () => Promise.all(markers.map((marker) => removeMarker(ctx, marker)))
  await Promise.all(markers.map((marker) => putMarker(ctx, marker)))
  try {
    const made = await write()
    if (made === undefined) await removeMarkers()
    return made
  } catch (error) {
    // Otherwise the version may be written: the markers stay, and the job checks them.
    if (provesNoWrite(error)) await removeMarkers()
    throw error
  }
}

/** The task in `progress` whose position is the time at which the walk began (Unix seconds), a space, and the last key passed. */
const MARKER_WALK = 'marker_walk'

/** A marker without a version at this age stays without one, in seconds: the timeouts of a branch's calls are shorter. */
const SETTLED_SECONDS = HOUR

/** The time from the beginning of a walk to that of the next one, in seconds. */
const WALK_SECONDS = DAY

/** The most markers that one step checks. */
const MAX_MARKERS = 1_000

/**
 * Checks the next markers of the bucket, and queues for deletion those whose asset belongs to this database and has no version
 * with the content: a branch failed after it had put its marker. Each database checks the markers of its own assets. Returns
 * how many markers it looked at, at least 1 when the position moved.
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
    WHERE ${isOpenHere(sql`substr(value ->> 'asset_id', 21, 3)`, db.name)} AND ${isPairedBy(pairing_id)}
      AND NOT ${isContent(sql`content.object_key = value ->> 'object_key'
        AND substr(content.asset_id, 21, 3) = substr(value ->> 'asset_id', 21, 3) AND content.asset_id = value ->> 'asset_id'`)}`
  await db.write([
    sql`${insert(garbage, { object_key: sql`value ->> 'key'`, writable_until: 0 }, superfluous)}
      ON CONFLICT (object_key) DO NOTHING`,
    sql`${insert(progress, { task: MARKER_WALK, position })}
      ON CONFLICT (task) DO UPDATE SET position = excluded.position`,
  ])
  return Math.max(objects.length, 1)
}

import type { StorageContext } from '../context.ts'
import { isId } from '../db/id.ts'
import { storageUnavailable } from '../errors.ts'
import { logWarning } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'

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

/** The marker with this key; undefined when the key is no marker's. */
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
export async function removeMarker({ bucket, config }: StorageContext, marker: Marker): Promise<void> {
  if (config.JOB === 'off') return
  const key = markerKey(marker)
  try {
    await withTimeout(config.CALL_TIMEOUT_MS, bucket.delete(key))
  } catch (error) {
    logWarning('a marker is left to the job', { key, error: String(error) })
  }
}

/** Contents by their markers. A content in neither has no marker. */
interface MarkedContents {
  marked: Set<string>
  /** Contents whose markers were not listed, because the calls were too few. */
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

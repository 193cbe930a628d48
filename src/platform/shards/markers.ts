import type { StorageContext } from '../context.ts'
import { isId } from '../db/id.ts'
import { storageUnavailable } from '../errors.ts'
import { logWarning } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'

/*
 * Content is removed by the database of the partition that it was uploaded in, which does not see versions in others
 * (docs/scaling.md). So a version with content of another partition has a marker: an empty object, put before the version is
 * written and removed after it is gone. R2 lists whatever has been put.
 */

/** What the keys of markers begin with. */
export const MARKERS = 'refs/'

/** What a marker says: this asset has, had or is about to have a version with that content. */
export interface Marker {
  object_key: string
  asset_id: string
}

/** The key of a marker. The trigger that queues it for deletion makes the same one. */
export function markerKey({ object_key, asset_id }: Marker): string {
  return `${MARKERS}${object_key}/${asset_id}`
}

/** What a marker says, by its key; undefined of a key that is none. */
export function markerIn(key: string): Marker | undefined {
  const [object_key, asset_id, ...more] = key.slice(MARKERS.length).split('/')
  if (!key.startsWith(MARKERS) || !isId(object_key) || !isId(asset_id) || more.length > 0) return undefined
  return { object_key, asset_id }
}

/** Puts a marker. @throws UNAVAILABLE */
export async function putMarker({ bucket, config }: StorageContext, marker: Marker): Promise<void> {
  await withTimeout(config.CALL_TIMEOUT_MS, bucket.put(markerKey(marker), '')).catch(storageUnavailable)
}

/** Removes a marker of a version that was not written. One that stays is left to the job; with JOB=off each one is. */
export async function removeMarker({ bucket, config }: StorageContext, marker: Marker): Promise<void> {
  if (config.JOB === 'off') return
  const key = markerKey(marker)
  try {
    await withTimeout(config.CALL_TIMEOUT_MS, bucket.delete(key))
  } catch (error) {
    logWarning('a marker is left to the job', { key, error: String(error) })
  }
}

/** What lists of markers tell of contents. The list of a content that is in neither is empty. */
interface Listed {
  marked: Set<string>
  /** Contents that the calls were too few for. */
  unknown: string[]
}

/**
 * Lists the markers of contents, with at most `calls` calls. Markers are few, so one call mostly tells of all contents;
 * each call tells of one content at least.
 */
export async function listMarkers(
  { bucket, config }: StorageContext,
  object_keys: string[],
  calls: number,
): Promise<Listed> {
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

import { type SQL, sql } from 'drizzle-orm'
import { keptUntil, type StepContext, seconds } from '../../platform/context.ts'
import { BUCKET_WALK } from '../../platform/db/enumerations.ts'
import { isId } from '../../platform/db/id.ts'
import { garbage, progress } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import { DAY, MINUTE } from '../../platform/lib/units.ts'
import { isOpenHere } from '../../platform/shards/partitions.ts'
import { isPairedBy } from '../../platform/storage/pairing.ts'
import { isContent } from '../assets/variants.ts'

/** The most objects that one step looks at. */
const MAX_OBJECTS = 1_000

/**
 * The time from the expiry of an upload until the walk reaches its object, in seconds: a PUT that began in time has ended by
 * then. `deleteEndedUploads` keeps the row of the upload until then.
 */
const AFTER_EXPIRY_SECONDS = DAY

/** The least time that an unknown object waits in `garbage` before it is deleted, in seconds. */
const WAIT_SECONDS = 7 * DAY

/**
 * A step that finds TOO_MANY_UNKNOWN unknown objects or more, and more than one in TOO_MANY_ONE_IN, takes the database for the
 * wrong one.
 */
const TOO_MANY_UNKNOWN = 20
const TOO_MANY_ONE_IN = 20

/**
 * Looks at the next objects of the bucket, in the order in which their uploads started, and queues objects of this database
 * without a record for deletion in a week: those of uploads, and those that a request stored. The walk
 * passes each object once: after the last URL to the object has expired, and before `deleteEndedUploads` removes the row of
 * its upload. Returns how many objects it looked at, at least 1 when the position moved.
 *
 * @throws Error when too many objects are unknown (TOO_MANY_UNKNOWN)
 */
export async function removeOrphans(ctx: StepContext): Promise<number> {
  const { db, bucket, config, now_ms, pairing_id } = ctx
  if (pairing_id === undefined) return 0
  const until = firstIdOf(wholeMinute(now_ms) - (config.UPLOAD_TTL + AFTER_EXPIRY_SECONDS) * 1_000)
  // Without a position the walk begins at `until`: the rows of older uploads may have been deleted.
  const [walk] = await db.write<{ position: string }>(
    sql`${insert(progress, { task: BUCKET_WALK, position: until })}
      ON CONFLICT (task) DO UPDATE SET position = coalesce(position, excluded.position) RETURNING position`,
  )
  if (!walk || walk.position >= until) return 0
  const { position } = walk
  const listed = await withTimeout(config.CALL_TIMEOUT_MS, listContent(bucket, position, MAX_OBJECTS))
  const passed = listed.objects.filter(({ key }) => key < until)
  const content = contentIn(passed)
  const isUnknown = isUnknownObject(db.name)
  const ofUploads = content.filter((listed) => !isOfRequest(listed))
  const { unknown, own } = await db.read({
    unknown: sql<ListedContent>`SELECT ${listedKey} AS key, value ->> 'file' AS file, value ->> 'asset' AS asset
      ${fromListed(content)} ${isUnknown}`,
    own: sql<{ count: number }>`SELECT count(*) AS count ${fromListed(ofUploads)} ${isOwnObject(db.name)}`,
  })
  rejectTooMany(unknown, own[0]?.count ?? ofUploads.length)
  const isAtEnd = !listed.truncated || passed.length < listed.objects.length
  const isPaired = isPairedBy(pairing_id)
  await db.write([
    enqueueOrphans(ctx, unknown, sql`${isUnknown} AND ${isPaired}`),
    sql`UPDATE progress SET position = ${isAtEnd ? until : (passed.at(-1)?.key ?? position)}
      WHERE task = ${BUCKET_WALK} AND position = ${position} AND ${isPaired}`,
  ])
  if (unknown.length > 0) logWarning('objects that no record knows', { count: unknown.length })
  // At least 1: `deleteEndedUploads` may have something to do when the position has moved.
  return Math.max(content.length, 1)
}

/**
 * Throws when many objects of uploads are unknown. Objects that a request stored do not count: each write whose outcome was
 * unknown may have left an object, and during an outage of the database these are many.
 */
function rejectTooMany(unknown: readonly ListedContent[], own: number): void {
  const keys = unknown.filter((listed) => !isOfRequest(listed)).map(({ key }) => key)
  if (keys.length < TOO_MANY_UNKNOWN || keys.length * TOO_MANY_ONE_IN <= own) return
  throw new Error(
    `${keys.length} of ${own} objects of uploads are unknown, so none is removed: from ${keys[0]} to ${keys.at(-1)}. ` +
      'See docs/operating.md#objects-without-a-record',
  )
}

/**
 * The statement that queues those of the listed objects for deletion for which `condition` holds, in terms of a row of
 * `fromListed`. They are deleted in WAIT_SECONDS, and not before content that is purged now.
 */
export function enqueueOrphans(
  ctx: Pick<StepContext, 'config' | 'now_ms'>,
  listed: readonly ListedContent[],
  condition: SQL,
): SQL {
  const now = seconds(ctx)
  const orphan = {
    object_key: listedKey,
    writable_until: now,
    next_at: Math.max(now + WAIT_SECONDS, keptUntil(ctx) ?? 0),
    is_orphan: 1,
  } as const
  return insert(garbage, orphan, sql`${fromListed(listed)} ${condition}`)
}

/** A time (milliseconds) cut to its minute. A later time in each of several consecutive runs would give each run work to do. */
function wholeMinute(time_ms: number): number {
  return time_ms - (time_ms % (MINUTE * 1_000))
}

/** The least id of a time (milliseconds). Ids sort by time. */
function firstIdOf(time_ms: number): string {
  const time = Math.max(time_ms, 0).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** A listed object whose key is that of content. */
export interface ListedContent {
  key: string
  /** The file whose content a request stored in the object; null for another object. */
  file: string | null
  /** The asset whose preview a request stored in the object; null for another object. */
  asset: string | null
}

/**
 * The content among listed objects. The list has to include their custom metadata. A client may add metadata to what it sends
 * to an upload's URL, but can't leave out `upload`, which the URL requires: only the service stores an object with `file` or
 * `asset` alone.
 */
export function contentIn(objects: readonly Pick<R2Object, 'key' | 'customMetadata'>[]): ListedContent[] {
  return objects
    .filter(({ key }) => isId(key))
    .map(({ key, customMetadata = {} }) => ({
      key,
      file: aloneIn(customMetadata, 'file'),
      asset: aloneIn(customMetadata, 'asset'),
    }))
}

/** The value of the name, when the metadata has no other one. */
function aloneIn(metadata: Record<string, string>, name: string): string | null {
  return Object.keys(metadata).length === 1 ? (metadata[name] ?? null) : null
}

/** Whether a request has stored the object. Otherwise it is the object of an upload. */
export function isOfRequest({ file, asset }: ListedContent): boolean {
  return file !== null || asset !== null
}

/** SQL: the rest of a SELECT of a list of `ListedContent`, as rows of `json_each`. A condition has to follow. */
export function fromListed(listed: readonly ListedContent[]): SQL {
  return sql`FROM json_each(${JSON.stringify(listed)}) WHERE`
}

/** SQL: the key of a row of `fromListed`. */
export const listedKey = sql`value ->> 'key'`

/** SQL: whether the object of a row of `fromListed` belongs to this database. */
function isOwnObject(database: string): SQL {
  return isOpenHere(sql`substr(${listedKey}, 21, 3)`, database)
}

/** SQL: whether the object of a row of `fromListed` belongs to this database, and no row of it names the object. */
export function isUnknownObject(database: string): SQL {
  return sql`${isOwnObject(database)} AND NOT EXISTS (SELECT 1 FROM uploads WHERE id = ${listedKey})
    AND NOT EXISTS (SELECT 1 FROM files WHERE files.id = value ->> 'file' AND files.object_key = ${listedKey})
    AND NOT EXISTS (SELECT 1 FROM game_assets WHERE game_assets.id = value ->> 'asset' AND preview_key = ${listedKey})
    AND NOT ${isContent(sql`content.object_key = ${listedKey}`)}
    AND NOT EXISTS (SELECT 1 FROM garbage WHERE object_key = ${listedKey})`
}

/**
 * Lists the next objects after a key with their custom metadata, at most `limit`. The list is empty only when no object follows.
 * With metadata R2 may return fewer objects than the limit, and only `truncated` says whether there are more
 * (https://developers.cloudflare.com/r2/api/workers/workers-api-reference/#r2listoptions; since the compatibility date 2022-08-04
 * it returns the metadata that `include` names). An empty page has no key to continue after, so the list continues with its
 * cursor.
 */
export async function listContent(bucket: R2Bucket, after: string, limit: number): Promise<R2Objects> {
  const options: R2ListOptions = { limit, startAfter: after, include: ['customMetadata'] }
  let listed = await bucket.list(options)
  while (listed.truncated && listed.objects.length === 0)
    listed = await bucket.list({ ...options, cursor: listed.cursor })
  return listed
}

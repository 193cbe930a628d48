import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { type StepContext, seconds } from '../../platform/context.ts'
import { partitionIn } from '../../platform/db/id.ts'
import { garbage } from '../../platform/db/schema.ts'
import { assignments, columnsOf, type RowOf } from '../../platform/db/sql.ts'
import { isPaused, isUnavailable, stepOf } from '../../platform/jobs/owners.ts'
import { logError, logWarning } from '../../platform/lib/log.ts'
import { isTimeout, withTimeout } from '../../platform/lib/timeout.ts'
import { DAY, HOUR } from '../../platform/lib/units.ts'
import { abortMultipart, type Deletion } from '../../platform/storage/bucket.ts'
import { isPairedBy } from '../../platform/storage/pairing.ts'
import { listMarkers, MARKERS, markerIn } from '../assets/markers.ts'
import { isContent } from '../assets/variants.ts'
import { assetsOf, filesOf } from './owned-rows.ts'

/** The most objects that R2 deletes in one call. */
const MAX_OBJECTS = 1_000

/** The most multipart uploads that one step aborts: each takes a call of its own. */
const MAX_ABORTS = 20

/** The most contents whose markers one step lists, and the most calls for these lists. */
const [MAX_LISTED, MAX_LISTS] = [200, 10]

/** The most databases in which one step brings the content of deleted markers forward. */
const MAX_ADVANCED = 4

/** The most partitions with whose files one step compares orphans. */
const MAX_PARTITIONS = 50

/** A PUT that began while its URL was valid has ended this long after the URL's expiry, in seconds. */
const PUT_SECONDS = DAY

/** The time until a multipart upload that could not be aborted is tried again, in seconds. */
const RETRY_SECONDS = HOUR

/** The time until a key that a row or a marker refers to is checked again, in seconds. */
const RECHECK_SECONDS = DAY

const TASK = 'objects_removed'

/** SQL: whether a version or a variant of this database has the content of a row of `garbage`. */
const isOfAsset = isContent(sql`content.object_key = garbage.object_key`)

const { object_key, multipart_id, owner_id, is_orphan, is_version, deleting } = getTableColumns(garbage)
const dueColumns = { object_key, multipart_id, is_orphan, is_version, deleting }
const ownerColumns = { object_key, owner_id }
const keyColumns = { object_key }

interface Key extends RowOf<typeof keyColumns> {}

interface Due extends RowOf<typeof dueColumns> {
  /** Whether a row names the key, or a marker of the content is kept. */
  is_referenced: 0 | 1
}

/**
 * Deletes the objects in `garbage` three times: at once, when the last URL to an object has expired, and PUT_SECONDS later,
 * when a PUT that began in time has ended. After the second time the key no longer counts with its owner's open uploads;
 * after the third its row is removed. The content of an asset's version waits while versions of other partitions share it:
 * rows of this database, or markers of others. Deleting an object that is not there succeeds, so the job may be interrupted
 * anywhere. Nothing is deleted unless bucket and database are paired.
 *
 * One step takes the keys of all owners. When its rows can't be written, the rest of the run takes one owner a step; a key
 * without an owner counts as an owner of its own. Returns how many keys the step took.
 */
export async function collectGarbage(ctx: StepContext): Promise<number> {
  if (ctx.pairing_id === undefined) return 0
  const now = seconds(ctx)
  const paused = isPaused(TASK, sql`coalesce(garbage.owner_id, garbage.object_key)`, now)
  const due = sql`next_at <= ${now} AND ${isPairedBy(ctx.pairing_id)} AND NOT ${paused}`
  if (!ctx.separately.has(TASK)) {
    const { count, outcome } = await deleteObjects(ctx, sql`${due} ORDER BY next_at`)
    try {
      if (count > 0) await ctx.db.write(outcome)
      return count
    } catch (error) {
      if (isUnavailable(error)) throw error
      ctx.separately.add(TASK)
      return 1
    }
  }
  const [next] = await ctx.db.read<RowOf<typeof ownerColumns>>(
    sql`SELECT ${columnsOf(ownerColumns)} FROM garbage WHERE ${due} ORDER BY next_at LIMIT 1`,
  )
  if (!next) return 0
  const { object_key, owner_id } = next
  const ofOwner = owner_id === null ? sql`object_key = ${object_key}` : sql`owner_id = ${owner_id}`
  const { count, outcome } = await deleteObjects(ctx, sql`${ofOwner} AND ${due}`)
  return stepOf(ctx, TASK, owner_id ?? object_key, async () => {
    if (count > 0) await ctx.db.write(outcome)
    return count
  })
}

/** Deletes up to MAX_OBJECTS of these objects. Returns how many keys were due, and the statements that record the outcome. */
async function deleteObjects(ctx: StepContext, which: SQL): Promise<{ count: number; outcome: SQL[] }> {
  const now = seconds(ctx)
  const found = await ctx.db.read<Due>(
    sql`SELECT ${columnsOf(dueColumns)}, (${isReferenced} OR ${isKeptByMarker(now)}) AS is_referenced FROM garbage
      WHERE ${which} LIMIT ${MAX_OBJECTS}`,
  )
  if (found.length === 0) return { count: 0, outcome: [] }
  const orphans = found.filter(({ is_orphan }) => is_orphan === 1).map(({ object_key }) => object_key)
  const next = new Set([...new Set(orphans.map(partitionIn))].slice(0, MAX_PARTITIONS))
  const contents = await contentsAmong(
    ctx,
    orphans.filter((key) => next.has(partitionIn(key))),
  )
  // The next step takes the orphans of further partitions.
  const isLater = (due: Due) => due.is_orphan === 1 && !next.has(partitionIn(due.object_key))
  const isShared = (due: Due) => due.is_version === 1 && due.deleting === 0 && due.is_referenced === 1
  const isKept = (due: Due) => !isShared(due) && (due.is_referenced === 1 || contents.has(due.object_key))
  const kept = found.filter(isKept)
  if (kept.length > 0) await postpone(ctx, kept)
  const markers = new Set(await deleteMarkers(ctx, found))
  const waiting = await waitingAmong(ctx, found, isShared)
  const unreferenced = found.filter(
    (due) => !isLater(due) && !isKept(due) && !waiting.has(due.object_key) && !markers.has(due.object_key),
  )
  const due = [
    ...unreferenced.filter(({ multipart_id }) => multipart_id === null),
    ...unreferenced.filter(({ multipart_id }) => multipart_id !== null).slice(0, MAX_ABORTS),
  ]
  const failed = await abortAll(ctx, due)
  const deleted = due.map(({ object_key }) => object_key).filter((key) => !failed.has(key))
  if (deleted.length > 0) await withTimeout(ctx.config.CALL_TIMEOUT_MS, ctx.bucket.delete(deleted))
  const isWritable = sql`writable_until > ${now}`
  deleted.push(...markers)
  const outcome = [
    sql`DELETE FROM garbage WHERE ${isAmong(deleted)} AND writable_until + ${PUT_SECONDS} <= ${now}`,
    sql`UPDATE garbage SET ${assignments(garbage, {
      next_at: sql`iif(${isWritable}, writable_until, writable_until + ${PUT_SECONDS})`,
      owner_id: sql`iif(${isWritable}, owner_id, NULL)`,
      kept_until: null,
      kept_for: null,
    })} WHERE ${isAmong(deleted)}`,
    sql`UPDATE garbage SET next_at = ${now + RETRY_SECONDS} WHERE ${isAmong([...failed])}`,
  ]
  return { count: found.length, outcome }
}

function isAmong(object_keys: string[]): SQL {
  return sql`object_key IN (SELECT value FROM json_each(${JSON.stringify(object_keys)}))`
}

/**
 * Deletes the markers among the due keys, before their contents are checked, and brings these contents forward in their own
 * databases. Returns the keys of the markers.
 */
async function deleteMarkers(ctx: StepContext, found: Due[]): Promise<string[]> {
  const { databases, bucket, config } = ctx
  const keys = found.map(({ object_key }) => object_key).filter((key) => key.startsWith(MARKERS))
  if (keys.length === 0) return []
  await withTimeout(config.CALL_TIMEOUT_MS, bucket.delete(keys))
  const contents = keys.flatMap((key) => markerIn(key)?.object_key ?? [])
  const byDatabase = Map.groupBy(contents, (key) => databases.nameFor(partitionIn(key)))
  for (const [name, marked] of [...byDatabase].slice(0, MAX_ADVANCED))
    try {
      await databases.whole(name).write(
        sql`UPDATE garbage SET next_at = coalesce(kept_until, 0)
            WHERE ${isAmong(marked)} AND is_version = 1 AND deleting = 0`,
      )
    } catch (error) {
      // The content is checked within RECHECK_SECONDS anyway.
      logWarning('content was not brought forward', { name, error: String(error) })
    }
  return keys
}

/**
 * Returns the keys of contents that are not to be deleted now, and postpones those that versions of other partitions share.
 * Content without a version in this database is deleted only when the list of its markers is empty. A branch puts its marker
 * before it looks for its source, so a later list has the marker. A new version of the content's own partition removes the
 * row, and its purge inserts another one: then `next_at` has changed, and the earlier list does not count.
 */
async function waitingAmong(
  ctx: StepContext,
  found: Due[],
  isShared: (due: Due) => boolean,
): Promise<Set<string>> {
  const { db } = ctx
  const shared = found.filter(isShared).map(({ object_key }) => object_key)
  const unshared = found
    .filter((due) => due.is_version === 1 && due.deleting === 0 && !isShared(due))
    .map(({ object_key }) => object_key)
  const waiting = new Set([...shared, ...unshared])
  if (waiting.size === 0) return waiting
  const now = unshared.slice(0, MAX_LISTED)
  const next_at = seconds(ctx) + RECHECK_SECONDS
  // After its own grace, content that others share no longer counts as kept for its first owner.
  const ifKept = (column: string) => sql`iif(kept_until > ${seconds(ctx)}, ${sql.raw(column)}, NULL)`
  await db.write(
    sql`UPDATE garbage SET next_at = ${next_at}, kept_until = ${ifKept('kept_until')}, kept_for = ${ifKept('kept_for')}
      WHERE ${isAmong([...shared, ...now])} AND deleting = 0`,
  )
  if (now.length === 0) return waiting
  const { marked, unknown } = await listMarkers(ctx, now, MAX_LISTS)
  const unmarked = now.filter((key) => !marked.has(key) && !unknown.includes(key))
  const isUnchanged = sql`next_at = ${next_at}
    AND NOT ${isOfAsset}`
  const { free } = await db.write({
    free: sql<Key>`UPDATE garbage SET deleting = 1, next_at = 0
      WHERE ${isAmong(unmarked)} AND ${isUnchanged} RETURNING object_key`,
    again: sql`UPDATE garbage SET next_at = 0 WHERE ${isAmong(unknown)} AND ${isUnchanged}`,
  })
  for (const { object_key } of free) waiting.delete(object_key)
  return waiting
}

/** SQL: whether a row names the key. Triggers reject such rows of files: the condition protects content from a mistake in them. */
const isReferenced = sql`(${isOfAsset}
  OR EXISTS (SELECT 1 FROM uploads
    WHERE uploads.id = garbage.object_key AND (uploads.state IN ('open', 'completing')
      OR EXISTS (SELECT 1 FROM files WHERE files.id = uploads.file_id AND files.object_key = uploads.id))))`

/**
 * SQL: whether a purged branch in this database keeps its marker of the content (CONTENT_GRACE_DAYS): a database that is
 * restored to before the purge has the branch again, and needs the content. The markers in the bucket cover other databases.
 */
function isKeptByMarker(now: number): SQL {
  return sql`(is_version = 1 AND EXISTS (SELECT 1 FROM garbage AS marker
    WHERE marker.object_key > ${MARKERS} || garbage.object_key || '/'
      AND marker.object_key < ${MARKERS} || garbage.object_key || '0' AND marker.kept_until > ${now}))`
}

/**
 * Returns the orphans' keys that are the content of a file or the preview of an asset. `isReferenced` finds a file by its
 * upload, and orphans have no upload. No index leads from a key to its row, but the key has its owner's partition: the files
 * and assets of that partition's users are read. When the statement fails, all of the keys count as content.
 */
async function contentsAmong({ db }: StepContext, orphans: string[]): Promise<Set<string>> {
  if (orphans.length === 0) return new Set()
  const partitions = JSON.stringify([...new Set(orphans.map(partitionIn))])
  const owners = sql`SELECT user_id FROM usage INDEXED BY usage_by_partition WHERE partition IN (SELECT value FROM json_each(${partitions}))`
  const users = { from: sql`(${owners}) AS owner CROSS JOIN`, id: sql`owner.user_id` }
  const contents = sql`${filesOf(users, ['object_key'])}
    UNION ALL SELECT preview_key FROM (${assetsOf(users, ['preview_key'])})`
  try {
    const found = await db.read(sql<Key>`SELECT object_key FROM (${contents}) WHERE ${isAmong(orphans)}`)
    return new Set(found.map(({ object_key }) => object_key))
  } catch (error) {
    logError('orphans could not be compared with files and assets', { error: String(error) })
    return new Set(orphans)
  }
}

/** Leaves the objects in the bucket, logs their keys, and postpones their next check by RECHECK_SECONDS. */
async function postpone(ctx: StepContext, kept: Deletion[]): Promise<void> {
  const keys = kept.map(({ object_key }) => object_key)
  logError('content that may be referenced is queued for deletion', { keys })
  await ctx.db.write(
    sql`UPDATE garbage SET next_at = ${seconds(ctx) + RECHECK_SECONDS} WHERE ${isAmong(keys)}`,
  )
}

/**
 * Aborts the multipart uploads among the due keys. Returns the keys of the uploads that were not aborted. After the first
 * timeout the others count as failed without a call.
 */
async function abortAll(ctx: StepContext, due: Deletion[]): Promise<Set<string>> {
  const failed = new Set<string>()
  let isAnswered = true
  for (const deletion of due) {
    const { object_key, multipart_id } = deletion
    if (!isAnswered) {
      if (multipart_id !== null) failed.add(object_key)
      continue
    }
    try {
      await abortMultipart(ctx, deletion)
    } catch (error) {
      isAnswered = !isTimeout(error)
      logError('a multipart upload was not aborted', { object_key, error: String(error) })
      failed.add(object_key)
    }
  }
  return failed
}

import { type SQL, sql } from 'drizzle-orm'
import { seconds } from '../context.ts'
import { isTimeout, withTimeout } from '../lib/timeout.ts'
import { abortMultipart, type Deletion } from '../storage/delete.ts'
import { hasMarker } from './bucket-marker.ts'
import { isPaused, isUnavailable, stepOf } from './owners.ts'
import type { StepContext } from './step.ts'

/** R2 removes at most this many objects in one call. */
const MOST_OBJECTS = 1_000

/** As many multipart uploads as one step ends: each is a call of its own. */
const MOST_ABORTED = 20

/** A PUT that began while its URL was valid may end as much later. */
const LATE = 24 * 60 * 60

/** When to try again what R2 would not end. */
const LATER = 60 * 60

/** When to look again at a key on the list that a row refers to. */
const MUCH_LATER = 24 * 60 * 60

const TASK = 'objects_removed'

interface Due extends Deletion {
  /** Whether the walk through the bucket found it. */
  is_orphan: number
  is_referred_to: number
}

/**
 * Removes objects that no record refers to any more: at once; again when the last URL to them has expired, from when on
 * they no longer count with their owner's open uploads; and once more a day later, when a PUT that began in time has
 * ended. Then their keys are forgotten. Removing one that is not there is no mistake, so a run may be cut off anywhere.
 * Nothing is removed unless the bucket is the one that belongs to the database. All owners' keys together; when that
 * can't be written, owner by owner for the rest of the run, where a key that counts with nobody is an owner of its own.
 */
export async function collectGarbage(ctx: StepContext): Promise<number> {
  if (ctx.marker === undefined) return 0
  const now = seconds(ctx)
  const paused = isPaused(TASK, sql`coalesce(garbage.owner_id, garbage.object_key)`, now)
  const due = sql`next_at <= ${now} AND ${hasMarker(ctx.marker)} AND NOT ${paused}`
  if (!ctx.separately.has(TASK)) {
    const { count, written } = await removeObjects(ctx, sql`${due} ORDER BY next_at`)
    try {
      if (count > 0) await ctx.db.batch(written)
      return count
    } catch (error) {
      if (isUnavailable(error)) throw error
      ctx.separately.add(TASK)
      return 1
    }
  }
  const [next] = await ctx.db.all<{ object_key: string; owner_id: string | null }>(
    sql`SELECT object_key, owner_id FROM garbage WHERE ${due} ORDER BY next_at LIMIT 1`,
  )
  if (!next) return 0
  const { object_key, owner_id } = next
  const theirs = owner_id === null ? sql`object_key = ${object_key}` : sql`owner_id = ${owner_id}`
  const { count, written } = await removeObjects(ctx, sql`${theirs} AND ${due}`)
  return stepOf(ctx, TASK, owner_id ?? object_key, async () => {
    if (count > 0) await ctx.db.batch(written)
    return count
  })
}

/** Removes up to MOST_OBJECTS of them. Tells how many keys there were, and the statements that write it down. */
async function removeObjects(ctx: StepContext, which: SQL): Promise<{ count: number; written: SQL[] }> {
  const now = seconds(ctx)
  const found = await ctx.db.all<Due>(
    sql`SELECT object_key, multipart_id, is_orphan, ${isReferredTo} AS is_referred_to FROM garbage
      WHERE ${which} LIMIT ${MOST_OBJECTS}`,
  )
  if (found.length === 0) return { count: 0, written: [] }
  const contents = await contentsAmong(ctx, found)
  const isKept = ({ is_referred_to, object_key }: Due) => is_referred_to === 1 || contents.has(object_key)
  const kept = found.filter(isKept)
  if (kept.length > 0) await keep(ctx, kept)
  const unknown = found.filter((due) => !isKept(due))
  const due = [
    ...unknown.filter(({ multipart_id }) => multipart_id === null),
    ...unknown.filter(({ multipart_id }) => multipart_id !== null).slice(0, MOST_ABORTED),
  ]
  const stuck = await abortAll(ctx, due)
  const keys = due.map(({ object_key }) => object_key).filter((key) => !stuck.has(key))
  if (keys.length > 0) await withTimeout(ctx.config.CALL_TIMEOUT_MS, ctx.bucket.delete(keys))
  const removed = sql`object_key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`
  const written = [
    sql`DELETE FROM garbage WHERE ${removed} AND writable_until + ${LATE} <= ${now}`,
    sql`UPDATE garbage SET
        next_at = iif(writable_until > ${now}, writable_until, writable_until + ${LATE}),
        owner_id = iif(writable_until > ${now}, owner_id, NULL)
      WHERE ${removed}`,
    sql`UPDATE garbage SET next_at = ${now + LATER}
      WHERE object_key IN (SELECT value FROM json_each(${JSON.stringify([...stuck])}))`,
  ]
  return { count: found.length, written }
}

/** SQL: whether a row names the key on the list. It never should: triggers refuse such a row, and the list such a key. */
const isReferredTo = sql`(EXISTS (SELECT 1 FROM asset_versions WHERE asset_versions.object_key = garbage.object_key)
  OR EXISTS (SELECT 1 FROM uploads
    WHERE uploads.id = garbage.object_key AND (uploads.state IN ('open', 'completing')
      OR EXISTS (SELECT 1 FROM files WHERE files.id = uploads.file_id AND files.object_key = uploads.id))))`

/**
 * Which of the keys that the walk found are the content of a file. Such a key has no upload, by which a file is found
 * otherwise. This reads all files, so it is asked only when there are such keys; without an answer all of them count.
 */
async function contentsAmong({ db }: StepContext, found: Due[]): Promise<Set<string>> {
  const orphans = found.filter(({ is_orphan }) => is_orphan === 1).map(({ object_key }) => object_key)
  if (orphans.length === 0) return new Set()
  try {
    const contents = await db.all<{ object_key: string }>(
      sql`SELECT object_key FROM files WHERE object_key IN (SELECT value FROM json_each(${JSON.stringify(orphans)}))`,
    )
    return new Set(contents.map(({ object_key }) => object_key))
  } catch (error) {
    console.error(
      JSON.stringify({ message: 'files could not be asked for their content', error: String(error) }),
    )
    return new Set(orphans)
  }
}

async function keep({ db, ...ctx }: StepContext, kept: Deletion[]): Promise<void> {
  const keys = kept.map(({ object_key }) => object_key)
  console.error(
    JSON.stringify({ message: 'content that is or may be referred to is on the garbage list', keys }),
  )
  await db.all(
    sql`UPDATE garbage SET next_at = ${seconds(ctx) + MUCH_LATER}
      WHERE object_key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`,
  )
}

/**
 * Ends the multipart uploads among them. Tells which could not be ended: these are tried again, later than others, and
 * so are those that come after one that R2 left without an answer.
 */
async function abortAll(ctx: StepContext, due: Deletion[]): Promise<Set<string>> {
  const stuck = new Set<string>()
  let isAnswered = true
  for (const discarded of due) {
    const { object_key, multipart_id } = discarded
    if (!isAnswered) {
      if (multipart_id !== null) stuck.add(object_key)
      continue
    }
    try {
      await abortMultipart(ctx, discarded)
    } catch (error) {
      isAnswered = !isTimeout(error)
      console.error(
        JSON.stringify({ message: 'parts could not be given up', object_key, error: String(error) }),
      )
      stuck.add(object_key)
    }
  }
  return stuck
}

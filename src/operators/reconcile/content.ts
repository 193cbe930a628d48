import { type SQL, sql } from 'drizzle-orm'
import { noPreview } from '../../features/previews/preview.ts'
import { type StorageContext, seconds } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { type files, gameAssets } from '../../platform/db/schema.ts'
import { assignments } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { askStorage } from '../../platform/storage/bucket.ts'
import { asList, type ComparedPage, type Finding, PAGE, type ReconcileContext, whyNotMarked } from './page.ts'

/** How many `list` and `head` calls to R2 one page makes at most. */
const [MAX_LISTS, MAX_HEADS] = [10, 120]

/** With fewer keys in a list, a `head` for each key is cheaper. */
const MIN_KEYS_PER_LIST = 5

/** The result of a search for the objects of some keys in R2. */
export interface Presence {
  missing: Set<string>
  /** Keys that were not looked up, because the calls did not suffice. */
  unknown: Set<string>
}

/**
 * Finds out which of these objects exist. Keys sort by time, as the rows of a page do, so one list covers many of them. Keys
 * that are far apart are looked up one by one, in the given order.
 *
 * @throws UNAVAILABLE
 */
export async function presenceOf(
  { bucket, config }: StorageContext,
  keys: readonly string[],
): Promise<Presence> {
  const missing = new Set<string>()
  let rest = [...new Set(keys)].sort()
  for (let lists = 0; lists < MAX_LISTS && rest.length > 0; lists++) {
    // The key without its last digit sorts right before it.
    const startAfter = rest[0]?.slice(0, -1) ?? ''
    const listed = await askStorage(config, bucket.list({ startAfter }))
    const found = new Set(listed.objects.map(({ key }) => key))
    const last = listed.objects.at(-1)?.key
    const isCovered = (key: string) => !listed.truncated || (last !== undefined && key <= last)
    const covered = rest.filter(isCovered)
    for (const key of covered) if (!found.has(key)) missing.add(key)
    rest = rest.filter((key) => !isCovered(key))
    if (covered.length < MIN_KEYS_PER_LIST) break
  }
  const left = new Set(rest)
  const asked = [...new Set(keys)].filter((key) => left.has(key)).slice(0, MAX_HEADS)
  await pooled(asked, async (key) => {
    if ((await askStorage(config, bucket.head(key))) === null) missing.add(key)
    left.delete(key)
  })
  return { missing, unknown: left }
}

/** The rows before the first one whose object was not looked up: the page ends there. */
export function rowsAnswered<Row extends { object_key: string | null }>(
  rows: readonly Row[],
  { unknown }: Presence,
): Row[] {
  const first = rows.findIndex(({ object_key }) => object_key !== null && unknown.has(object_key))
  return first < 0 ? [...rows] : rows.slice(0, first)
}

/** A file of a page. `object_key` is null when the file has no content to compare. */
interface FileRow extends Pick<typeof files.$inferSelect, 'id' | 'owner_id' | 'asset_type' | 'object_key'> {}

/**
 * Compares the next files with their content. A repair first removes content of existing files from the deletion queue, and
 * then looks for the objects. A file whose object is missing is marked as failed: the owner sees this, gets the quota back,
 * and may upload the content again. Each write repeats the conditions of the read.
 */
export async function compareFiles(ctx: ReconcileContext): Promise<ComparedPage> {
  const db = ctx.databases.whole(ctx.database)
  const isComparable = sql`processing_state = 'ready' AND purging = 0
    AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1)`
  const rows = await db.read(
    sql<FileRow>`SELECT id, owner_id, asset_type, iif(${isComparable}, object_key, NULL) AS object_key FROM files
      WHERE id > ${ctx.after} ORDER BY id LIMIT ${PAGE}`,
  )
  const compared = rows.filter(({ object_key }) => object_key !== null)
  const queued = sql`SELECT files.object_key FROM json_each(${asList(compared.map(({ id }) => id))})
    CROSS JOIN files ON files.id = value WHERE processing_state = 'ready' AND purging = 0`
  const isQueued = sql`object_key IN (${queued})`
  const taken = await takenFromQueue(ctx, db, isQueued)
  const presence = await presenceOf(
    ctx,
    compared.flatMap(({ object_key }) => object_key ?? []),
  )
  const answered = rowsAnswered(rows, presence)
  const missing = answered.filter(({ object_key }) => object_key !== null && presence.missing.has(object_key))
  const refused = whyNotMarked(missing.length, compared.length, ctx.acceptMissing)
  const marked = new Set<string>()
  if (ctx.isRepair && refused === undefined && missing.length > 0) {
    // Before the write, which may happen although its answer is lost.
    for (const { asset_type, owner_id } of missing)
      if (asset_type === 'profile_pic') ctx.ended.push(['profile', owner_id])
    const list = asList(missing.map(({ id, object_key }) => ({ id, object_key })))
    const isSame = sql`(id, object_key) IN (SELECT value ->> 'id', value ->> 'object_key' FROM json_each(${list}))`
    const failed = await db.write({
      files: sql<{ id: string }>`UPDATE files SET processing_state = 'failed', revision = revision + 1
        WHERE ${isSame} AND ${isComparable} RETURNING id`,
      uploads: sql`DELETE FROM uploads WHERE state = 'completed' AND id IN (
          SELECT value ->> 'object_key' FROM json_each(${list}) CROSS JOIN files
          ON files.id = value ->> 'id' AND files.object_key = value ->> 'object_key' AND processing_state = 'failed')`,
    })
    for (const { id } of failed.files) marked.add(id)
  }
  const byKey = new Map(answered.map((row) => [row.object_key, row]))
  const found: Finding[] = [
    ...taken.flatMap(({ object_key }): Finding[] => {
      const row = byKey.get(object_key)
      if (!row) return []
      const { id, owner_id } = row
      return [{ problem: 'content_is_queued', id, owner_id, object_key, is_repaired: ctx.isRepair }]
    }),
    ...missing.map(
      ({ id, owner_id, object_key }): Finding => ({
        problem: 'content_is_missing',
        id,
        owner_id,
        object_key: object_key ?? '',
        is_repaired: marked.has(id),
      }),
    ),
  ]
  const isLast = rows.length < PAGE && answered.length === rows.length
  return {
    looked_at: answered.length,
    next: isLast ? null : (answered.at(-1)?.id ?? ctx.after),
    found,
    ...(ctx.isRepair && refused !== undefined && { refused }),
  }
}

/** The keys that are queued for deletion although a row has them. A repair takes them off the queue. */
export function takenFromQueue(
  { isRepair }: ReconcileContext,
  db: Database,
  isQueued: SQL,
): Promise<{ object_key: string }[]> {
  return isRepair
    ? db.write(sql<{ object_key: string }>`DELETE FROM garbage WHERE ${isQueued} RETURNING object_key`)
    : db.read(sql<{ object_key: string }>`SELECT object_key FROM garbage WHERE ${isQueued}`)
}

/** An asset of a page. `object_key` is null when it has no preview to compare. */
interface PreviewRow {
  id: string
  owner_id: string
  object_key: string | null
}

/**
 * Compares the next assets with their previews. A repair first removes previews of existing assets from the deletion queue, and
 * then looks for the objects. An asset whose preview is missing loses it: the owner sees this, gets the quota back, and may set
 * another one. Each write repeats the conditions of the read.
 */
export async function comparePreviews(ctx: ReconcileContext): Promise<ComparedPage> {
  const db = ctx.databases.whole(ctx.database)
  const isComparable = sql`purging = 0 AND ${isNotErased}`
  const rows = await db.read(
    sql<PreviewRow>`SELECT id, owner_id, iif(${isComparable}, preview_key, NULL) AS object_key FROM game_assets
      WHERE id > ${ctx.after} ORDER BY id LIMIT ${PAGE}`,
  )
  const compared = rows.filter(({ object_key }) => object_key !== null)
  const isQueued = sql`object_key IN (SELECT preview_key FROM json_each(${asList(compared.map(({ id }) => id))})
    CROSS JOIN game_assets ON game_assets.id = value WHERE purging = 0)`
  const queued = await takenFromQueue(ctx, db, isQueued)
  const presence = await presenceOf(
    ctx,
    compared.flatMap(({ object_key }) => object_key ?? []),
  )
  const answered = rowsAnswered(rows, presence)
  const missing = answered.filter(({ object_key }) => object_key !== null && presence.missing.has(object_key))
  const refused = whyNotMarked(missing.length, compared.length, ctx.acceptMissing)
  const repaired = new Set<string>()
  if (ctx.isRepair && refused === undefined && missing.length > 0) {
    for (const { id } of missing) ctx.ended.push(['asset', id])
    const removed = await db.write(
      sql<{ id: string }>`UPDATE game_assets SET ${assignments(gameAssets, noPreview)}
        WHERE (id, preview_key) IN (SELECT value ->> 'id', value ->> 'object_key' FROM json_each(${asList(missing)}))
          AND ${isComparable} RETURNING id`,
    )
    for (const { id } of removed) repaired.add(id)
  }
  const byKey = new Map(answered.map((row) => [row.object_key, row]))
  const found: Finding[] = [
    ...queued.flatMap(({ object_key }): Finding[] => {
      const row = byKey.get(object_key)
      return row ? [{ problem: 'content_is_queued', ...named(row), is_repaired: ctx.isRepair }] : []
    }),
    ...missing.map(
      (row): Finding => ({ problem: 'content_is_missing', ...named(row), is_repaired: repaired.has(row.id) }),
    ),
  ]
  const isLast = rows.length < PAGE && answered.length === rows.length
  return {
    looked_at: answered.length,
    next: isLast ? null : (answered.at(-1)?.id ?? ctx.after),
    found,
    ...(ctx.isRepair && refused !== undefined && { refused }),
  }
}

function named({ id, owner_id, object_key }: PreviewRow) {
  return { id, owner_id, object_key: object_key ?? '', detail: 'the preview of an asset' }
}

interface OpenUpload {
  object_key: string
  owner_id: string
  is_multipart: 0 | 1
  expires_at: number
}

/**
 * Finds open uploads whose content has arrived. A restore reopens uploads that were completed since, and completing them
 * again ends them. Uploads that wait for a verdict are excluded. Nothing is repaired, because only the client knows whether
 * an upload was to be completed.
 */
export async function findArrived(ctx: ReconcileContext): Promise<ComparedPage> {
  const rows = await ctx.databases.whole(ctx.database).read(
    sql<OpenUpload>`SELECT id AS object_key, owner_id, multipart_id IS NOT NULL AS is_multipart, expires_at FROM uploads
      WHERE id > ${ctx.after} AND state IN ('open', 'completing') AND check_state IS NULL ORDER BY id LIMIT ${PAGE}`,
  )
  const presence = await presenceOf(
    ctx,
    rows.map(({ object_key }) => object_key),
  )
  const answered = rowsAnswered(rows, presence)
  const arrived = answered.filter(({ object_key }) => !presence.missing.has(object_key))
  const isLast = rows.length < PAGE && answered.length === rows.length
  return {
    looked_at: answered.length,
    next: isLast ? null : (answered.at(-1)?.object_key ?? ctx.after),
    found: arrived.map(({ object_key, owner_id, is_multipart, expires_at }) => ({
      problem: 'upload_has_arrived',
      id: object_key,
      owner_id,
      detail: `${is_multipart ? 'in parts, ' : ''}may be completed for ${Math.max(0, expires_at - seconds(ctx))} s`,
      is_repaired: false,
    })),
  }
}

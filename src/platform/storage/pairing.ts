import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { type JobContext, seconds } from '../context.ts'
import { bucketMarker } from '../db/schema.ts'
import { assignments, columnsOf, insert, type RowOf } from '../db/sql.ts'
import { HOUR } from '../lib/time-units.ts'
import { withTimeout } from '../lib/timeout.ts'
import { FIRST } from '../shards/map.ts'

/** The object that holds the marker of a database. It is no id, and the keys of all content are ids. */
export function pairingKey(name: string): string {
  return name === FIRST ? '.marker' : `.marker.${name}`
}

/** A marker is replaced when it is as old, in seconds. A database that was rolled back further has another marker. */
const MARKER_AGE = HOUR

const { one, ...columns } = getTableColumns(bucketMarker)

interface MarkerRow extends RowOf<typeof columns> {}

/**
 * Returns the random marker that stands in both the database and the bucket, and replaces it every hour. The two are
 * paired when neither has a marker. The database records the next marker before the bucket gets it, so the job may be
 * interrupted anywhere.
 *
 * @throws Error when the markers differ
 */
export async function pairedMarker(ctx: JobContext): Promise<string> {
  const { db, bucket, config } = ctx
  const [known] = await db.read<MarkerRow>(sql`SELECT ${columnsOf(columns)} FROM bucket_marker WHERE one = 1`)
  const key = pairingKey(db.name)
  const object = await withTimeout(config.CALL_TIMEOUT_MS, bucket.get(key))
  const found = object && (await withTimeout(config.CALL_TIMEOUT_MS, object.text()))
  if (!belongTogether(known, found)) throw new Error(MISMATCH)
  const now = seconds(ctx)
  if (found !== null && found === known?.next) return confirm(ctx, found)
  if (found !== null && known?.next === null && now < known.changed_at + MARKER_AGE) return found
  const next = known?.next ?? (await announce(ctx))
  const onlyIf = new Headers(object ? { 'If-Match': object.httpEtag } : { 'If-None-Match': '*' })
  const put = await withTimeout(config.CALL_TIMEOUT_MS, bucket.put(key, next, { onlyIf }))
  if (!put) throw new Error('another process changed the marker of the bucket')
  return confirm(ctx, next)
}

/** SQL: whether the database still has that marker. */
export function hasMarker(marker: string): SQL {
  return sql`(SELECT current FROM bucket_marker WHERE one = 1) = ${marker}`
}

function belongTogether(known: MarkerRow | undefined, found: string | null): boolean {
  if (found === null) return known === undefined || known.current === null
  return found === known?.current || found === known?.next
}

/** Records the marker that the bucket gets next. */
async function announce(ctx: JobContext): Promise<string> {
  const row = { one: 1, next: crypto.randomUUID(), changed_at: seconds(ctx) }
  const [written] = await ctx.db.write<{ next: string }>(
    sql`${insert(bucketMarker, row)}
      ON CONFLICT (one) DO UPDATE SET next = coalesce(next, excluded.next) RETURNING next`,
  )
  if (!written) throw new Error('the marker was not written')
  return written.next
}

/** Records that the bucket has the marker. */
async function confirm(ctx: JobContext, marker: string): Promise<string> {
  const row = { current: marker, next: null, changed_at: seconds(ctx) }
  const [written] = await ctx.db.write<{ current: string }>(
    sql`UPDATE bucket_marker SET ${assignments(bucketMarker, row)}
      WHERE one = 1 AND coalesce(next, current) = ${marker} RETURNING current`,
  )
  if (!written) throw new Error('another process changed the marker of the database')
  return written.current
}

const MISMATCH =
  'the database and the bucket do not belong together, so no object is removed: the database is empty, is another one or ' +
  'was rolled back. See docs/operating.md#when-database-and-bucket-differ'

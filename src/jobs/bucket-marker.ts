import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, seconds } from '../context.ts'
import { withTimeout } from '../lib/timeout.ts'

/** The object that holds the marker: outside of the ids, which are the keys of all content. */
const MARKER_KEY = '.marker'

/** How old a marker grows, in seconds, before it is replaced: a database that is rolled back further is noticed. */
const MARKER_AGE = 60 * 60

/** The bucket's marker as the database knows it. */
interface MarkerRow {
  /** Null until the bucket has first been given one. */
  current: string | null
  /** Null, or what the bucket is about to be given. */
  next: string | null
  changed_at: number
}

/**
 * Finds out whether the database and the bucket belong together: a random value stands in both. It is replaced every
 * hour, so that a database that was rolled back has another one, too. They are paired when neither has one. Tells the
 * value. It may be cut off anywhere: the database says beforehand what the bucket is going to be given.
 *
 * @throws Error when they differ
 */
export async function pairedMarker(ctx: JobContext): Promise<string> {
  const { db, bucket, config } = ctx
  const [known] = await db.all<MarkerRow>(
    sql`SELECT current, next, changed_at FROM bucket_marker WHERE one = 1`,
  )
  const object = await withTimeout(config.CALL_TIMEOUT_MS, bucket.get(MARKER_KEY))
  const found = object && (await withTimeout(config.CALL_TIMEOUT_MS, object.text()))
  if (!belongTogether(known, found)) throw new Error(MISMATCH)
  const now = seconds(ctx)
  if (found !== null && found === known?.next) return confirm(ctx, found)
  if (found !== null && known?.next === null && now < known.changed_at + MARKER_AGE) return found
  const next = known?.next ?? (await announce(ctx))
  const onlyIf = new Headers(object ? { 'If-Match': object.httpEtag } : { 'If-None-Match': '*' })
  const put = await withTimeout(config.CALL_TIMEOUT_MS, bucket.put(MARKER_KEY, next, { onlyIf }))
  if (!put) throw new Error('the marker of the bucket was changed by somebody else')
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

/** Writes down what the bucket is going to be given. */
async function announce({ db, ...job }: JobContext): Promise<string> {
  const [row] = await db.all<{ next: string }>(
    sql`INSERT INTO bucket_marker (one, next, changed_at) VALUES (1, ${crypto.randomUUID()}, ${seconds(job)})
      ON CONFLICT (one) DO UPDATE SET next = coalesce(next, excluded.next) RETURNING next`,
  )
  if (!row) throw new Error('the marker was not written')
  return row.next
}

async function confirm({ db, ...job }: JobContext, marker: string): Promise<string> {
  const [row] = await db.all<{ current: string }>(
    sql`UPDATE bucket_marker SET current = ${marker}, next = NULL, changed_at = ${seconds(job)}
      WHERE one = 1 AND coalesce(next, current) = ${marker} RETURNING current`,
  )
  if (!row) throw new Error('the marker of the database was changed by somebody else')
  return row.current
}

const MISMATCH =
  'the database and the bucket do not belong together, so no object is removed: the database is empty, is another one or ' +
  'was rolled back. See "When database and bucket differ" in the README'

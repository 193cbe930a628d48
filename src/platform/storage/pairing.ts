import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { type JobContext, seconds } from '../context.ts'
import { bucketPairing } from '../db/schema.ts'
import { assignments, columnsOf, insert, type RowOf } from '../db/sql.ts'
import { withTimeout } from '../lib/timeout.ts'
import { HOUR } from '../lib/units.ts'
import { FIRST } from '../shards/map.ts'

/**
 * The key of the object that holds the pairing id of the database with this name. No content has this key, because the keys of
 * content are ids.
 */
export function pairingKey(name: string): string {
  return name === FIRST ? '.pairing' : `.pairing.${name}`
}

/** A pairing id is replaced at this age, in seconds. A database that was rolled back further has another one. */
const PAIRING_SECONDS = HOUR

const { one, ...columns } = getTableColumns(bucketPairing)

interface PairingRow extends RowOf<typeof columns> {}

/**
 * Returns the random pairing id that the database and the bucket have in common, and replaces it every hour. A database
 * and a bucket without one are paired. The database records the next id before the bucket gets it, so the job may be
 * interrupted anywhere.
 *
 * @throws Error when the ids differ
 */
export async function pairWithBucket(ctx: JobContext): Promise<string> {
  const { db, bucket, config } = ctx
  const [known] = await db.read<PairingRow>(
    sql`SELECT ${columnsOf(columns)} FROM bucket_pairing WHERE one = 1`,
  )
  const key = pairingKey(db.name)
  const object = await withTimeout(config.CALL_TIMEOUT_MS, bucket.get(key))
  const found = object && (await withTimeout(config.CALL_TIMEOUT_MS, object.text()))
  if (!belongTogether(known, found)) throw new Error(MISMATCH)
  const now = seconds(ctx)
  if (found !== null && found === known?.next) return confirm(ctx, found)
  if (found !== null && known?.next === null && now < known.changed_at + PAIRING_SECONDS) return found
  const next = known?.next ?? (await announce(ctx))
  const onlyIf = new Headers(object ? { 'If-Match': object.httpEtag } : { 'If-None-Match': '*' })
  const put = await withTimeout(config.CALL_TIMEOUT_MS, bucket.put(key, next, { onlyIf }))
  if (!put) throw new Error('another process changed the pairing id of the bucket')
  return confirm(ctx, next)
}

/** SQL: whether the database still has this pairing id. */
export function isPairedBy(pairing_id: string): SQL {
  return sql`(SELECT current FROM bucket_pairing WHERE one = 1) = ${pairing_id}`
}

/** Whether the row of a database (`known`) and the object of a bucket (`found`) are paired. */
export function belongTogether(
  known: Pick<PairingRow, 'current' | 'next'> | undefined,
  found: string | null,
): boolean {
  if (found === null) return known === undefined || known.current === null
  return found === known?.current || found === known?.next
}

/** Records the pairing id that the bucket gets next. Returns it. */
async function announce(ctx: JobContext): Promise<string> {
  const row = { one: 1, next: crypto.randomUUID(), changed_at: seconds(ctx) }
  const [written] = await ctx.db.write<{ next: string }>(
    sql`${insert(bucketPairing, row)}
      ON CONFLICT (one) DO UPDATE SET next = coalesce(next, excluded.next) RETURNING next`,
  )
  if (!written) throw new Error('the pairing id was not written')
  return written.next
}

/** Records that the bucket has the pairing id. Returns it. */
async function confirm(ctx: JobContext, pairing_id: string): Promise<string> {
  const row = { current: pairing_id, next: null, changed_at: seconds(ctx) }
  const [written] = await ctx.db.write<{ current: string }>(
    sql`UPDATE bucket_pairing SET ${assignments(bucketPairing, row)}
      WHERE one = 1 AND coalesce(next, current) = ${pairing_id} RETURNING current`,
  )
  if (!written) throw new Error('another process changed the pairing id of the database')
  return written.current
}

const MISMATCH =
  'the database and the bucket do not belong together, so no object is removed: the database is empty, is another one or ' +
  'was rolled back. See docs/operating.md#when-database-and-bucket-differ'

import { type SQL, sql } from 'drizzle-orm'
import { FIRST } from '../shards.ts'
import type { buckets } from './schema.ts'
import type { Rendered } from './sql.ts'

/** What stands in the fence for a whole database. */
const EVERY_BUCKET = '*'

/** What a database knows of a bucket. A bucket without a row is open in the first database, and in no other. */
export type StateRow = Pick<typeof buckets.$inferSelect, 'state' | 'moved_to'>

const stateText = 'SELECT state, moved_to FROM buckets WHERE bucket = ?'

/**
 * The statement that a write begins with. It writes nothing, and refuses the batch unless the bucket is open in this
 * database; without a bucket, unless no bucket of this database moves.
 */
export function fence(bucket: string | undefined, database: string): Rendered {
  if (bucket === undefined)
    return { sql: 'INSERT INTO fence (bucket, database) VALUES (?, ?)', params: [EVERY_BUCKET, database] }
  if (database === FIRST) return { sql: 'INSERT INTO bucket_fence (bucket) VALUES (?)', params: [bucket] }
  return { sql: 'INSERT INTO bucket_fence (bucket, otherwise) VALUES (?, ?)', params: [bucket, 'gone'] }
}

/**
 * The statement that a share or a branch begins with that is written without a hint or marker, because one database is
 * bound. It refuses the batch while any bucket is elsewhere, and voids what has been prepared for moves (src/moves).
 */
export function unhinted(bucket: string): Rendered {
  return { sql: 'INSERT INTO unhinted (one) VALUES (1)', params: [], fences: bucket }
}

/** The statement that reads the state of a bucket. */
export function stateOf(bucket: string): Rendered<StateRow> {
  return { sql: stateText, params: [bucket] }
}

/** SQL: whether a bucket is open in the database of that name, in which the statement is executed. */
export function isOpenHere(bucket: SQL, name: string): SQL {
  const withoutRow = name === FIRST ? 'open' : 'gone'
  return sql`coalesce((SELECT place.state FROM buckets AS place WHERE place.bucket = ${bucket}), ${withoutRow}) = 'open'`
}

/** A bucket that is being moved, as one of the two databases knows it. */
export interface Move extends StateRow {
  bucket: string
}

/** The statement that reads which buckets a database gives or takes just now. */
export const moves: Rendered<Move> = {
  sql: `SELECT bucket, state, moved_to FROM buckets INDEXED BY buckets_moving
    WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1)`,
  params: [],
}

/** What a database knows of a bucket: nulls when it has no row. */
export type BucketState = Move | { bucket: string; state: null; moved_to: null }

/** The statement that reads what a database knows of these buckets. */
export function statesOf(wanted: readonly string[]): Rendered<BucketState> {
  return {
    sql: `SELECT value AS bucket, (SELECT state FROM buckets WHERE bucket = value) AS state,
      (SELECT moved_to FROM buckets WHERE bucket = value) AS moved_to FROM json_each(?)`,
    params: [JSON.stringify(wanted)],
  }
}

/**
 * SQL: whether a row counts, by its id. The rows of a bucket that is being copied to this database, or has been moved from
 * it, don't. For statements about rows of many buckets, with several databases.
 */
export function isHere(id: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM buckets AS place
    WHERE place.bucket = substr(${id}, 21, 3) AND place.state IN ('incoming', 'gone'))`
}

/** The name of the database that has the bucket, by what the database `name` answered to `stateOf`. */
export function whereItIs(states: readonly unknown[] = [], name: string): string {
  const [row] = states
  if (!isState(row)) return FIRST
  return row.state === 'open' || row.state === 'frozen' ? name : (row.moved_to ?? FIRST)
}

/** Whether that bucket is being copied from this database. */
export function isFrozen(states: readonly unknown[] = []): boolean {
  const [row] = states
  return isState(row) && row.state === 'frozen'
}

function isState(row: unknown): row is StateRow {
  return typeof row === 'object' && row !== null && 'state' in row && row.state !== null && 'moved_to' in row
}

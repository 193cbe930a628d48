import { type SQL, sql } from 'drizzle-orm'
import type { Databases } from '../db/databases.ts'
import { bucketText } from '../db/id.ts'
import { FIRST } from '../shards.ts'

/** What a portion of a move holds at most: buckets, and about how many rows, hints among them. One bucket may have more. */
export interface Portion {
  buckets: number
  rows: number
}

/** A portion is frozen as long as it takes to copy it. */
export const PORTION: Portion = { buckets: 256, rows: 5_000 }

/** A range of buckets, both ends included, in three hexadecimal digits. */
export interface BucketRange {
  first: string
  last: string
}

interface StateRow {
  bucket: string
  state: string
}

/** About how many rows a user has beside shares and blocks: what the counters of `usage` say. */
export const ROWS_OF_USER = sql`1 + items + assets + versions + open_uploads + ended_uploads + idempotency_keys`

/** The buckets of a range. */
export function bucketsOf({ first, last }: BucketRange): string[] {
  const from = Number.parseInt(first, 16)
  const count = Number.parseInt(last, 16) - from + 1
  return Array.from({ length: count }, (_, index) => bucketText(from + index))
}

/** Returns which database has each bucket. A bucket that is being moved is not among them. */
export async function locationsOf(databases: Databases): Promise<Map<string, string>> {
  const known = await Promise.all(
    databases.names.map(async (name) => {
      const [rows = []] = await databases.primary(name).send([sql`SELECT bucket, state FROM buckets`])
      return { name, states: new Map(rows.filter(isStateRow).map(({ bucket, state }) => [bucket, state])) }
    }),
  )
  const first = known.find(({ name }) => name === FIRST)?.states
  const locations = new Map<string, string>()
  for (const bucket of bucketsOf({ first: '000', last: 'fff' })) {
    const opened = known.find(({ states }) => states.get(bucket) === 'open')
    if (opened) locations.set(bucket, opened.name)
    else if (!first?.has(bucket)) locations.set(bucket, FIRST)
  }
  return locations
}

/** The next buckets of a range that are to be moved to a database, all from one source; how many are left in all. */
export async function nextPortion(
  databases: Databases,
  range: BucketRange,
  target: string,
  portion: Portion,
): Promise<{ source: string; buckets: string[]; left: number } | undefined> {
  const locations = await locationsOf(databases)
  const wanted = bucketsOf(range).filter((bucket) => locations.get(bucket) !== target)
  const [first] = wanted
  const source = first && locations.get(first)
  if (!source) return undefined
  const candidates = wanted.filter((wanted) => locations.get(wanted) === source).slice(0, portion.buckets)
  const sizes = new Map<string, number>()
  const counted = await databases.primary(source).send(rowsIn(candidates, portion.rows))
  for (const { bucket, size } of counted.flat().filter(isSizeRow))
    sizes.set(bucket, (sizes.get(bucket) ?? 0) + (size ?? 0))
  const buckets: string[] = []
  let size = 0
  for (const bucket of candidates) {
    size += sizes.get(bucket) ?? 0
    if (buckets.length > 0 && size > portion.rows) break
    buckets.push(bucket)
  }
  return { source, buckets, left: wanted.length }
}

/**
 * The statements that count what is copied with each of these buckets: what the users' counters know, and hints, which
 * other users' shares and branches have written. Hints are counted in the order of the buckets, until there are more than
 * `most`: the portion ends there.
 */
function rowsIn(buckets: string[], most: number): SQL[] {
  const wanted = sql`json_each(${JSON.stringify(buckets)}) AS wanted`
  const counted = (hints: SQL) =>
    sql`SELECT bucket, count(*) AS size FROM (
      SELECT wanted.value AS bucket FROM ${wanted} CROSS JOIN ${hints} LIMIT ${most + 1}) GROUP BY bucket`
  return [
    sql`SELECT value AS bucket, (SELECT sum(${ROWS_OF_USER}) FROM usage WHERE usage.bucket = value) AS size FROM ${wanted}`,
    counted(sql`share_hints ON grantee_bucket = wanted.value`),
    // `+`: an index over an expression serves values without an affinity.
    counted(sql`branch_hints INDEXED BY branch_hints_by_bucket ON substr(source_id, 21, 3) = +wanted.value`),
  ]
}

function isStateRow(row: unknown): row is StateRow {
  return typeof row === 'object' && row !== null && 'bucket' in row && 'state' in row
}

function isSizeRow(row: unknown): row is { bucket: string; size: number | null } {
  return typeof row === 'object' && row !== null && 'bucket' in row && 'size' in row
}

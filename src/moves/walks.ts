import { type SQL, sql } from 'drizzle-orm'
import { markerKey } from '../assets/markers.ts'
import type { RequestContext } from '../context.ts'
import { bucketIn, bucketTextOf } from '../db/id.ts'
import type { Link } from '../db/link.ts'
import { withTimeout } from '../lib/timeout.ts'
import { primary } from './record.ts'

/** How many rows a step of a walk takes, and how many of those that put a marker into the bucket each. */
const ROWS = 1_000
const MARKERS = 50

/** A row of something that has a hint or a marker in another place than itself. */
interface Linked {
  id: string
  owner: string
  other: string
}

interface WalkContext extends Pick<RequestContext, 'databases' | 'bucket' | 'config'> {
  now: number
  /** Where each bucket is. */
  locations: Map<string, string>
}

/** Takes the next rows of a database after `after`. Returns the last of them; none when there are no more. */
type Walk = (ctx: WalkContext, link: Link, after: string) => Promise<string | undefined>

/** What was written while one database was bound, and gets now what is written with several. */
export const walks: Record<string, Walk> = {
  users: fillBuckets,
  shares: hintShares,
  branches: hintBranches,
  versions: markVersions,
}

/** Fills in the bucket of users from before there were buckets. */
async function fillBuckets(_ctx: WalkContext, link: Link, after: string): Promise<string | undefined> {
  const [rows = []] = await link.send([
    sql`SELECT user_id AS id, '' AS owner, '' AS other FROM usage
      WHERE bucket IS NULL AND user_id > ${after} ORDER BY user_id LIMIT ${ROWS}`,
  ])
  const users = rows.filter(isLinked).map(({ id }) => ({ id, bucket: bucketTextOf(id) }))
  if (users.length === 0) return undefined
  await link.send([
    fenceOf(
      link.name,
      users.map(({ bucket }) => bucket),
    ),
    sql`UPDATE usage SET bucket = value ->> 'bucket' FROM json_each(${JSON.stringify(users)})
      WHERE user_id = value ->> 'id'`,
  ])
  return users.at(-1)?.id
}

/** Hints each share in its grantee's home. */
async function hintShares(ctx: WalkContext, link: Link, after: string): Promise<string | undefined> {
  const rows = await page(link, sql`SELECT id, id AS owner, grantee_id AS other FROM shares`, after, ROWS)
  const hints = rows.map(({ owner, other }) => ({ at: bucketTextOf(other), other, bucket: bucketIn(owner) }))
  await writeByBucket(ctx, hints, (some) => [
    sql`INSERT INTO share_hints (grantee_bucket, grantee_id, bucket, hinted_at)
      SELECT value ->> 'at', value ->> 'other', value ->> 'bucket', ${ctx.now} FROM json_each(${some}) WHERE true
      ON CONFLICT DO NOTHING`,
  ])
  return rows.at(-1)?.id
}

/** Hints each branch at its source. */
async function hintBranches(ctx: WalkContext, link: Link, after: string): Promise<string | undefined> {
  const rows = await page(
    link,
    sql`SELECT id, id AS owner, branched_from_asset_id AS other FROM game_assets WHERE branched_from_asset_id IS NOT NULL`,
    after,
    ROWS,
  )
  const hints = rows.map(({ owner, other }) => ({ at: bucketIn(other), other, bucket: bucketIn(owner) }))
  await writeByBucket(ctx, hints, (some) => [
    sql`INSERT INTO branch_hints (source_id, bucket, hinted_at)
      SELECT value ->> 'other', value ->> 'bucket', ${ctx.now} FROM json_each(${some}) WHERE true ON CONFLICT DO NOTHING`,
  ])
  return rows.at(-1)?.id
}

/** Marks the content of each version that is another bucket's, and queues it there if none of its own bucket has it. */
async function markVersions(ctx: WalkContext, link: Link, after: string): Promise<string | undefined> {
  const rows = await page(
    link,
    sql`SELECT id, asset_id AS owner, object_key AS other FROM asset_versions
      WHERE substr(object_key, 21, 3) <> substr(asset_id, 21, 3)`,
    after,
    MARKERS,
  )
  const markers = new Set(rows.map(({ owner, other }) => markerKey({ object_key: other, asset_id: owner })))
  await Promise.all(
    [...markers].map((key) => withTimeout(ctx.config.CALL_TIMEOUT_MS, ctx.bucket.put(key, ''))),
  )
  const contents = rows.map(({ other }) => ({ at: bucketIn(other), other, bucket: '' }))
  await writeByBucket(ctx, contents, (some) => [
    sql`INSERT INTO garbage (object_key, writable_until, is_version)
      SELECT DISTINCT value ->> 'other', 0, 1 FROM json_each(${some})
      WHERE NOT EXISTS (SELECT 1 FROM asset_versions
        WHERE object_key = value ->> 'other' AND substr(asset_id, 21, 3) = value ->> 'at')
      ON CONFLICT DO NOTHING`,
  ])
  return rows.at(-1)?.id
}

/** Something that is written in the database of the bucket `at`. */
interface Placed {
  at: string
  other: string
  bucket: string
}

/** Writes into the database of each bucket, which has to be open there. @throws Moved, UNAVAILABLE */
async function writeByBucket(
  { databases, locations }: WalkContext,
  all: readonly Placed[],
  statements: (some: string) => SQL[],
): Promise<void> {
  const byDatabase = Map.groupBy(all, ({ at }) => locations.get(at))
  for (const [name, some] of byDatabase)
    if (name !== undefined)
      await primary(databases, name).send([
        fenceOf(
          name,
          some.map(({ at }) => at),
        ),
        ...statements(JSON.stringify(some)),
      ])
}

function fenceOf(database: string, buckets: readonly string[]): SQL {
  return sql`INSERT INTO fence (bucket, database)
    SELECT value, ${database} FROM json_each(${JSON.stringify([...new Set(buckets)])})`
}

async function page(link: Link, rows: SQL, after: string, limit: number): Promise<Linked[]> {
  const [found = []] = await link.send([
    sql`SELECT id, owner, other FROM (${rows}) WHERE id > ${after} ORDER BY id LIMIT ${limit}`,
  ])
  return found.filter(isLinked)
}

function isLinked(row: unknown): row is Linked {
  return typeof row === 'object' && row !== null && 'id' in row && 'owner' in row && 'other' in row
}

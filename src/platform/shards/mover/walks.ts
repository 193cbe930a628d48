import { type SQL, sql } from 'drizzle-orm'
import type { RequestContext } from '../../context.ts'
import { partitionIn, partitionOf } from '../../db/id.ts'
import type { Link } from '../../db/link.ts'
import { markerKey, putMarker } from '../markers.ts'

/** How many rows a step of a walk looks at, and how many markers it puts into the bucket. */
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
  /** Where each partition is. */
  locations: Map<string, string>
}

/** Takes the next rows of a database after `after`. Returns the last that it has looked at; none when there are no more. */
type Walk = (ctx: WalkContext, link: Link, after: string) => Promise<string | undefined>

/** What was written while one database was bound, and gets now what is written with several. */
export const walks: Record<string, Walk> = {
  users: fillPartitions,
  shares: hintShares,
  branches: hintBranches,
  versions: markVersions,
}

/** Fills in the partition of users from before there were partitions. */
async function fillPartitions(_ctx: WalkContext, link: Link, after: string): Promise<string | undefined> {
  const [rows = []] = await link.send([
    sql`SELECT user_id AS id, '' AS owner, '' AS other FROM usage
      WHERE partition IS NULL AND user_id > ${after} ORDER BY user_id LIMIT ${ROWS}`,
  ])
  const users = rows.filter(isLinked).map(({ id }) => ({ id, partition: partitionOf(id) }))
  if (users.length === 0) return undefined
  await link.send([
    fenceOf(
      link.name,
      users.map(({ partition }) => partition),
    ),
    sql`UPDATE usage SET partition = value ->> 'partition' FROM json_each(${JSON.stringify(users)})
      WHERE user_id = value ->> 'id'`,
  ])
  return users.at(-1)?.id
}

/** Hints each share in its grantee's home. */
async function hintShares(ctx: WalkContext, link: Link, after: string): Promise<string | undefined> {
  const { rows, last } = await page(link, {
    from: (columns) => sql`SELECT ${columns} FROM shares`,
    columns: sql`id, id AS owner, grantee_id AS other`,
    after,
  })
  const hints = rows.map(({ owner, other }) => ({
    at: partitionOf(other),
    other,
    partition: partitionIn(owner),
  }))
  await writeByPartition(ctx, hints, (some) => [
    sql`INSERT INTO share_hints (grantee_partition, grantee_id, partition, hinted_at)
      SELECT value ->> 'at', value ->> 'other', value ->> 'partition', ${ctx.now} FROM json_each(${some}) WHERE true
      ON CONFLICT DO NOTHING`,
  ])
  return last
}

/** Hints each branch at its source. */
async function hintBranches(ctx: WalkContext, link: Link, after: string): Promise<string | undefined> {
  const { rows, last } = await page(link, {
    from: (columns) => sql`SELECT ${columns} FROM game_assets`,
    columns: sql`id, id AS owner, branched_from_asset_id AS other`,
    which: sql`other IS NOT NULL`,
    after,
  })
  const hints = rows.map(({ owner, other }) => ({
    at: partitionIn(other),
    other,
    partition: partitionIn(owner),
  }))
  await writeByPartition(ctx, hints, (some) => [
    sql`INSERT INTO branch_hints (source_id, partition, hinted_at)
      SELECT value ->> 'other', value ->> 'partition', ${ctx.now} FROM json_each(${some}) WHERE true ON CONFLICT DO NOTHING`,
  ])
  return last
}

/** Marks the content of each version that is another partition's, and queues it there if none of its own partition has it. */
async function markVersions(ctx: WalkContext, link: Link, after: string): Promise<string | undefined> {
  const { rows, last } = await page(link, {
    from: (columns) => sql`SELECT ${columns} FROM asset_versions`,
    columns: sql`id, asset_id AS owner, object_key AS other`,
    which: sql`substr(other, 21, 3) <> substr(owner, 21, 3)`,
    after,
    limit: MARKERS,
  })
  const markers = rows.map(({ owner, other }) => ({ object_key: other, asset_id: owner }))
  const distinct = new Map(markers.map((marker) => [markerKey(marker), marker]))
  await Promise.all([...distinct.values()].map((marker) => putMarker(ctx, marker)))
  const contents = rows.map(({ other }) => ({ at: partitionIn(other), other, partition: '' }))
  await writeByPartition(ctx, contents, (some) => [
    sql`INSERT INTO garbage (object_key, writable_until, is_version)
      SELECT value ->> 'other', 0, 1 FROM json_each(${some})
      WHERE NOT EXISTS (SELECT 1 FROM asset_versions
        WHERE object_key = value ->> 'other' AND substr(asset_id, 21, 3) = value ->> 'at')
      ON CONFLICT DO NOTHING`,
  ])
  return last
}

/** Something that is written in the database of the partition `at`. */
interface Placed {
  at: string
  other: string
  partition: string
}

/** Writes into the database of each partition, which has to be open there. @throws Moved, UNAVAILABLE */
async function writeByPartition(
  { databases, locations }: WalkContext,
  all: readonly Placed[],
  statements: (some: string) => SQL[],
): Promise<void> {
  const byDatabase = Map.groupBy(all, ({ at }) => locations.get(at))
  for (const [name, some] of byDatabase)
    if (name !== undefined)
      await databases.primary(name).send([
        fenceOf(
          name,
          some.map(({ at }) => at),
        ),
        ...statements(JSON.stringify(some)),
      ])
}

function fenceOf(database: string, partitions: readonly string[]): SQL {
  return sql`INSERT INTO fence (partition, database)
    SELECT value, ${database} FROM json_each(${JSON.stringify([...new Set(partitions)])})`
}

interface Walked {
  from: (columns: SQL) => SQL
  columns: SQL
  /** Which of the rows are taken; without it, all. */
  which?: SQL
  after: string
  /** The most rows that are taken. */
  limit?: number
}

/** Looks at the next ROWS rows of a table. Returns those that are to be taken, and the id of the last that is done then. */
async function page(
  link: Link,
  { from, columns, which = sql`1`, after, limit = ROWS }: Walked,
): Promise<{ rows: Linked[]; last: string | undefined }> {
  const next = (columns: SQL) => sql`${from(columns)} WHERE id > ${after} ORDER BY id LIMIT ${ROWS}`
  const [found = [], ends = []] = await link.send([
    sql`SELECT id, owner, other FROM (${next(columns)}) WHERE ${which}`,
    sql`SELECT max(id) AS last FROM (${next(sql`id`)})`,
  ])
  const all = found.filter(isLinked).sort((one, other) => (one.id < other.id ? -1 : 1))
  const rows = all.slice(0, limit)
  const [end] = ends.filter(isEnd)
  return { rows, last: all.length > limit ? rows.at(-1)?.id : (end?.last ?? undefined) }
}

function isEnd(row: unknown): row is { last: string | null } {
  return typeof row === 'object' && row !== null && 'last' in row
}

function isLinked(row: unknown): row is Linked {
  return typeof row === 'object' && row !== null && 'id' in row && 'owner' in row && 'other' in row
}

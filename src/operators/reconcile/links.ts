import { type SQL, sql } from 'drizzle-orm'
import { markerKey, putMarker } from '../../features/assets/markers.ts'
import { isContent } from '../../features/assets/variants.ts'
import { seconds } from '../../platform/context.ts'
import { partitionIn, partitionOf } from '../../platform/db/id.ts'
import { moving } from '../../platform/db/session.ts'
import type { Databases } from '../../platform/shards/databases.ts'
import { askStorage } from '../../platform/storage/bucket.ts'
import { locationsOf } from '../shards/mover/plan.ts'
import type { Problem } from './names.ts'
import { asList, type ComparedPage, type Finding, PAGE, type ReconcileContext } from './page.ts'
import { type ContentRow, nextContents, positionAt } from './versions.ts'

/*
 * A share has a hint in the home of its grantee, a branch has a hint at its source, and a version with another partition's
 * content has a marker (docs/scaling.md). Hints and markers may be missing when databases were restored to different times.
 */

/** A row that links two users. `owner` has the partition of the row, and `other` is the other user or their resource. */
interface LinkRow {
  id: string
  owner: string
  other: string
}

/** The hint of a row: `at` is the partition whose database has the hint, `partition` is the one that the hint names. */
interface Hint extends LinkRow {
  at: string
  partition: string
}

/** Compares the next shares with the hints in their grantees' homes. */
export function compareShareHints(ctx: ReconcileContext): Promise<ComparedPage> {
  return compareHints(ctx, {
    rows: sql`SELECT id, id AS owner, grantee_id AS other FROM shares`,
    homeOf: ({ other }) => partitionOf(other),
    isHinted: sql`EXISTS (SELECT 1 FROM share_hints WHERE grantee_partition = value ->> 'at'
      AND grantee_id = value ->> 'other' AND partition = value ->> 'partition')`,
    insertion: sql`INSERT INTO share_hints (grantee_partition, grantee_id, partition, hinted_at)
      SELECT value ->> 'at', value ->> 'other', value ->> 'partition', ${seconds(ctx)}`,
  })
}

/** Compares the next branches with the hints at their sources. A source that no longer exists needs no hint. */
export function compareBranchHints(ctx: ReconcileContext): Promise<ComparedPage> {
  return compareHints(ctx, {
    rows: sql`SELECT id, id AS owner, branched_from_asset_id AS other FROM game_assets
      WHERE branched_from_asset_id IS NOT NULL`,
    homeOf: ({ other }) => partitionIn(other),
    isHinted: sql`(EXISTS (SELECT 1 FROM branch_hints WHERE source_id = value ->> 'other' AND partition = value ->> 'partition')
      OR value ->> 'at' = value ->> 'partition'
      OR NOT EXISTS (SELECT 1 FROM game_assets WHERE game_assets.id = value ->> 'other'))`,
    insertion: sql`INSERT INTO branch_hints (source_id, partition, hinted_at)
      SELECT value ->> 'other', value ->> 'partition', ${seconds(ctx)}`,
  })
}

interface Kind {
  /** SQL: all rows that need a hint, as LinkRow. */
  rows: SQL
  /** Returns the partition whose database has the hint of a row. */
  homeOf: (row: LinkRow) => string
  /** SQL: whether the hint `value` exists or is not needed. */
  isHinted: SQL
  /** SQL: INSERT … SELECT of hints without its FROM clause, whose rows have a `value`. */
  insertion: SQL
}

async function compareHints(
  ctx: ReconcileContext,
  { rows, homeOf, isHinted, insertion }: Kind,
): Promise<ComparedPage> {
  const { databases, isRepair } = ctx
  const page = await databases
    .whole(ctx.database)
    .read(
      sql<LinkRow>`SELECT id, owner, other FROM (${rows}) WHERE id > ${ctx.after} ORDER BY id LIMIT ${PAGE}`,
    )
  const hints = page.map((row): Hint => ({ ...row, at: homeOf(row), partition: partitionIn(row.owner) }))
  const missing: Hint[] = []
  for (const [name, some] of await byDatabase(databases, hints, ({ at }) => at)) {
    const database = databases.whole(name)
    const lacking = sql`FROM json_each(${asList(some)}) WHERE NOT ${isHinted}`
    const lackingIds = await database.read(sql<{ id: string }>`SELECT value ->> 'id' AS id ${lacking}`)
    if (isRepair && lackingIds.length > 0)
      await database.write(sql`${insertion} ${lacking} ON CONFLICT DO NOTHING`)
    const ids = new Set(lackingIds.map(({ id }) => id))
    missing.push(...some.filter(({ id }) => ids.has(id)))
  }
  return {
    looked_at: page.length,
    next: page.length < PAGE ? null : (page.at(-1)?.id ?? null),
    found: missing.map(({ id, other }) => found(ctx, 'hint_is_missing', id, other)),
  }
}

function found({ isRepair }: ReconcileContext, problem: Problem, id: string, other: string): Finding {
  return { problem, id, detail: `to ${other}`, is_repaired: isRepair }
}

/** How many versions with another partition's content a page compares. Each costs a call to R2. */
const MARKERS = 50

/**
 * Compares the next versions and variants that have another partition's content with their markers. Content without its marker may be
 * removed at any time, so this stage comes first.
 */
export async function compareMarkers(ctx: ReconcileContext): Promise<ComparedPage> {
  const { bucket, config, isRepair } = ctx
  const isForeign = sql`substr(content.object_key, 21, 3) <> substr(content.asset_id, 21, 3)`
  const page = await nextContents(ctx, isForeign, MARKERS)
  const missing: ContentRow[] = []
  for (const row of page) {
    if ((await askStorage(config, bucket.head(markerKey(row)))) !== null) continue
    missing.push(row)
    if (isRepair) await putMarker(ctx, row)
  }
  if (isRepair && missing.length > 0) await queueContents(ctx, missing)
  const last = page.at(-1)
  return {
    looked_at: page.length,
    next: page.length === MARKERS && last ? positionAt(last) : null,
    found: missing.map(({ id, object_key }) => found(ctx, 'marker_is_missing', id, object_key)),
  }
}

/** Queues content for deletion that no version or variant of its own partition has. The queue keeps it as long as it has markers. */
async function queueContents({ databases }: ReconcileContext, of: readonly ContentRow[]): Promise<void> {
  const contents = of.map(({ object_key }) => ({ object_key, partition: partitionIn(object_key) }))
  for (const [name, some] of await byDatabase(databases, contents, ({ partition }) => partition))
    await databases.whole(name).write(sql`INSERT INTO garbage (object_key, writable_until, is_version)
      SELECT value ->> 'object_key', 0, 1 FROM json_each(${asList(some)})
      WHERE NOT ${isContent(sql`content.object_key = value ->> 'object_key' AND substr(content.asset_id, 21, 3) = value ->> 'partition'`)}
      ON CONFLICT DO NOTHING`)
}

/** Groups items by the database of their partition. @throws UNAVAILABLE while one of these partitions is being moved */
export async function byDatabase<Item>(
  databases: Databases,
  items: readonly Item[],
  partition: (item: Item) => string,
): Promise<Map<string, Item[]>> {
  const locations = await locationsOf(databases)
  return Map.groupBy(items, (item) => {
    const name = locations.get(partition(item))
    if (name === undefined) throw moving()
    return name
  })
}

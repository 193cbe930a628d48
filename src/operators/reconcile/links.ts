import { type SQL, sql } from 'drizzle-orm'
import { seconds } from '../../platform/context.ts'
import { partitionIn, partitionOf } from '../../platform/db/id.ts'
import { markerKey } from '../../platform/shards/markers.ts'
import { locationsOf } from '../../platform/shards/mover/plan.ts'
import { walks } from '../../platform/shards/mover/walks.ts'
import { askStorage } from '../../platform/storage/ask.ts'
import type { Problem } from './names.ts'
import { asList, type Finding, PAGE, type Page, type ReconcileContext } from './page.ts'

/*
 * What crosses databases has a hint or a marker in another place than itself (docs/scaling.md). Databases that were restored
 * to different times may lack some. They are written by the walks that the mover prepares with: they add, and remove none.
 */

/** A row, and what of it has to stand elsewhere. */
interface Linked {
  id: string
  owner: string
  other: string
}

/** A hint, and the partition in whose database it stands. */
interface Hint extends Linked {
  at: string
  partition: string
}

/** Compares the next shares with the hints in their grantees' homes. */
export function compareShareHints(ctx: ReconcileContext): Promise<Page> {
  const rows = sql`SELECT id, id AS owner, grantee_id AS other FROM shares`
  const hintOf = (row: Linked) => ({ ...row, at: partitionOf(row.other), partition: partitionIn(row.owner) })
  const isHinted = sql`EXISTS (SELECT 1 FROM share_hints WHERE grantee_partition = value ->> 'at'
    AND grantee_id = value ->> 'other' AND partition = value ->> 'partition')`
  return compareHints(ctx, { rows, walk: 'shares', hintOf, isHinted })
}

/** Compares the next branches with the hints at their sources. A source that is gone needs none. */
export function compareBranchHints(ctx: ReconcileContext): Promise<Page> {
  const rows = sql`SELECT id, id AS owner, branched_from_asset_id AS other FROM game_assets
    WHERE branched_from_asset_id IS NOT NULL`
  const hintOf = (row: Linked) => ({ ...row, at: partitionIn(row.other), partition: partitionIn(row.owner) })
  const isHinted = sql`(EXISTS (SELECT 1 FROM branch_hints WHERE source_id = value ->> 'other' AND partition = value ->> 'partition')
    OR value ->> 'at' = value ->> 'partition'
    OR NOT EXISTS (SELECT 1 FROM game_assets WHERE game_assets.id = value ->> 'other'))`
  return compareHints(ctx, { rows, walk: 'branches', hintOf, isHinted })
}

interface Kind {
  rows: SQL
  walk: 'shares' | 'branches'
  hintOf: (row: Linked) => Hint
  /** SQL: whether the hint `value` needs nothing, in the database where it stands. */
  isHinted: SQL
}

async function compareHints(ctx: ReconcileContext, { rows, walk, hintOf, isHinted }: Kind): Promise<Page> {
  const { databases } = ctx
  if (databases.isOnly) return nothing
  const page = await pageOf(ctx, rows, PAGE)
  const locations = await locationsOf(databases)
  const byDatabase = Map.groupBy(page.map(hintOf), ({ at }) => locations.get(at))
  const missing: Hint[] = []
  for (const [name, hints] of byDatabase) {
    if (name === undefined) continue
    const unhinted = await databases.named(name).read(
      sql<{
        id: string
      }>`SELECT value ->> 'id' AS id FROM json_each(${asList(hints)}) WHERE NOT ${isHinted}`,
    )
    const ids = new Set(unhinted.map(({ id }) => id))
    missing.push(...hints.filter(({ id }) => ids.has(id)))
  }
  if (missing.length > 0) await repair(ctx, walk, locations)
  return pageFrom(ctx, page, PAGE, missing, 'hint_is_missing')
}

/** How many versions with another partition's content a page looks at: each takes a call. It is as many as the walk takes. */
const MARKERS = 50

/**
 * Compares the next versions that have another partition's content with their markers. Without its marker the content may be
 * removed at any time, so this is the first thing to repair.
 */
export async function compareMarkers(ctx: ReconcileContext): Promise<Page> {
  const { databases, bucket, config } = ctx
  if (databases.isOnly) return nothing
  const rows = sql`SELECT id, asset_id AS owner, object_key AS other FROM asset_versions
    WHERE substr(object_key, 21, 3) <> substr(asset_id, 21, 3)`
  const page = await pageOf(ctx, rows, MARKERS)
  const missing: Linked[] = []
  for (const row of page) {
    const key = markerKey({ object_key: row.other, asset_id: row.owner })
    if ((await askStorage(config, bucket.head(key))) === null) missing.push(row)
  }
  if (missing.length > 0) await repair(ctx, 'versions', await locationsOf(databases))
  return pageFrom(ctx, page, MARKERS, missing, 'marker_is_missing')
}

const nothing: Page = { looked_at: 0, next: null, found: [] }

function pageOf(
  { databases, database, after }: ReconcileContext,
  rows: SQL,
  limit: number,
): Promise<Linked[]> {
  return databases
    .named(database)
    .read(sql<Linked>`SELECT id, owner, other FROM (${rows}) WHERE id > ${after} ORDER BY id LIMIT ${limit}`)
}

async function repair(
  ctx: ReconcileContext,
  walk: 'shares' | 'branches' | 'versions',
  locations: Map<string, string>,
): Promise<void> {
  const { databases, database, bucket, config, after, isRepair } = ctx
  if (isRepair)
    await walks[walk]?.(
      { databases, bucket, config, now: seconds(ctx), locations },
      databases.primary(database),
      after,
    )
}

function pageFrom(
  { isRepair }: ReconcileContext,
  page: Linked[],
  limit: number,
  missing: Linked[],
  problem: Problem,
): Page {
  return {
    looked_at: page.length,
    next: page.length < limit ? null : (page.at(-1)?.id ?? null),
    found: missing.map(
      ({ id, other }): Finding => ({ problem, id, detail: `to ${other}`, is_repaired: isRepair }),
    ),
  }
}

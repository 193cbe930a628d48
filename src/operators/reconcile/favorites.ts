import { type SQL, sql } from 'drizzle-orm'
import { presentAmong } from '../../features/favorites/tasks.ts'
import { moving } from '../../platform/db/session.ts'
import { readEverywhere } from '../../platform/shards/homes.ts'
import { asList, type ComparedPage, PAGE, type ReconcileContext } from './page.ts'

/** About how many favorites the assets of a page have together. A single asset may have more. */
const MAX_FAVORITES = 20_000

/** An asset of which the database has a favorite, a count or the row, with the number of its favorites. */
interface WalkedRow {
  asset_id: string
  users: number
}

/** The counted favorites of an asset. */
interface CountedRow {
  asset_id: string
  users: number
  /** Whether a recount is due, which will set the right number. */
  is_due: 0 | 1
}

/**
 * Compares, for the next assets, `favorite_counts` with a recount of the favorites in the database, and the number that an asset
 * of the database shows with the sum over all databases. Favorites of an asset that no database has are found, too. A repair
 * corrects the counts and makes recounts due: with them the job sets the sums, and removes favorites of purged assets.
 *
 * @throws UNAVAILABLE, also while partitions of any database are being moved
 */
export async function compareFavorites(ctx: ReconcileContext): Promise<ComparedPage> {
  const db = ctx.databases.whole(ctx.database)
  const walked = await db.read(nextAssets(ctx.after))
  const page = upTo(walked)
  const ids = asList(page.map(({ asset_id }) => asset_id))
  const wanted = sql`(SELECT value FROM json_each(${ids}))`
  // Read before the numbers that assets show, because a recount sets those numbers before it stops being due.
  const counts = await readEverywhere(
    ctx.databases,
    sql<CountedRow>`SELECT asset_id, users, 0 AS is_due FROM favorite_counts WHERE asset_id IN ${wanted}
      UNION ALL SELECT asset_id, 0, 1 FROM favorite_recounts WHERE asset_id IN ${wanted}`,
  )
  if (!counts) throw moving()
  const rows = counts.flatMap((answer) => answer.rows)
  const sums = new Map(page.map(({ asset_id }) => [asset_id, 0]))
  for (const { asset_id, users } of rows) sums.set(asset_id, (sums.get(asset_id) ?? 0) + users)
  for (const { asset_id, is_due } of rows) if (is_due) sums.delete(asset_id)
  const liked = [...sums].filter(([, sum]) => sum > 0).map(([asset_id]) => asset_id)
  const present = new Set(await presentAmong(ctx, liked))
  const isPurged = (id: string) => (sums.get(id) ?? 0) > 0 && !present.has(id)
  const wrong = differing(
    asList(page.map(({ asset_id }) => [asset_id, sums.get(asset_id), Number(isPurged(asset_id))])),
  )
  const found = ctx.isRepair
    ? (await db.write({ wrong, ...repairOf(wrong, wanted) })).wrong
    : await db.read(wrong)
  const isLast = walked.length < PAGE && page.length === walked.length
  return {
    looked_at: page.length,
    next: isLast ? null : (page.at(-1)?.asset_id ?? null),
    found: found.map(({ asset_id }) => ({
      problem: 'counters_differ',
      id: `favorites of ${asset_id}`,
      is_repaired: ctx.isRepair,
    })),
  }
}

/** The statement that reads the next assets of which the database has a favorite, a count or the row. */
function nextAssets(after: string): SQL<WalkedRow> {
  const first = (table: string, column: string, than: SQL) =>
    sql`(SELECT ${sql.raw(column)} FROM ${sql.raw(table)} WHERE ${sql.raw(column)} > ${than} ORDER BY ${sql.raw(column)} LIMIT 1)`
  const next = (than: SQL) => sql`(SELECT min(id) FROM (
      SELECT ${first('favorites', 'asset_id', than)} AS id
      UNION ALL SELECT ${first('favorite_counts', 'asset_id', than)}
      UNION ALL SELECT ${first('game_assets', 'id', than)}))`
  return sql<WalkedRow>`WITH RECURSIVE walk (asset_id) AS (
      SELECT ${next(sql`${after}`)} UNION ALL SELECT ${next(sql`walk.asset_id`)} FROM walk WHERE walk.asset_id IS NOT NULL
      LIMIT ${PAGE}
    )
    SELECT asset_id, coalesce((SELECT users FROM favorite_counts AS counted WHERE counted.asset_id = walk.asset_id), 0) AS users
    FROM walk WHERE asset_id IS NOT NULL`
}

/** The first assets, with MAX_FAVORITES together at most, and at least one. */
function upTo(walked: readonly WalkedRow[]): WalkedRow[] {
  let total = 0
  const end = walked.findIndex(({ users }, index) => {
    total += users
    return index > 0 && total > MAX_FAVORITES
  })
  return walked.slice(0, end < 0 ? walked.length : end)
}

/**
 * The statement that finds the assets with a wrong number, and purged ones. `sums`: `[id, sum, is_purged]` of each; without a sum
 * while a recount is due.
 */
function differing(sums: string): SQL<{ asset_id: string }> {
  return sql<{ asset_id: string }>`SELECT wanted.value ->> 0 AS asset_id FROM json_each(${sums}) AS wanted
    WHERE (SELECT count(*) FROM favorites AS one WHERE one.asset_id = wanted.value ->> 0)
        <> coalesce((SELECT users FROM favorite_counts AS counted WHERE counted.asset_id = wanted.value ->> 0), 0)
      OR wanted.value ->> 2 = 1
      OR EXISTS (SELECT 1 FROM game_assets AS asset
        WHERE asset.id = wanted.value ->> 0 AND asset.favorites <> wanted.value ->> 1)`
}

/** The statements that correct the counts of these assets, after they have made the recounts of the wrong ones due. */
function repairOf(wrong: SQL<{ asset_id: string }>, wanted: SQL) {
  return {
    due: sql`INSERT INTO favorite_recounts (asset_id, mark, due_at)
      SELECT asset_id, hex(randomblob(8)), unixepoch() FROM (${wrong}) WHERE true
      ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark`,
    counted: sql`INSERT INTO favorite_counts (asset_id, users)
      SELECT asset_id, count(*) FROM favorites WHERE asset_id IN ${wanted} GROUP BY asset_id
      ON CONFLICT (asset_id) DO UPDATE SET users = excluded.users WHERE users <> excluded.users`,
    superfluous: sql`DELETE FROM favorite_counts WHERE asset_id IN ${wanted}
      AND NOT EXISTS (SELECT 1 FROM favorites AS one WHERE one.asset_id = favorite_counts.asset_id)`,
  }
}

import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type StepContext, seconds } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { type favoriteCounts, type favoriteRecounts, gameAssets } from '../../platform/db/schema.ts'
import { assignments, idsIn } from '../../platform/db/sql.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { readByIds, readEverywhere } from '../../platform/shards/homes.ts'
import { APPLY_QUERIES, applyMarks } from '../catalogue/tasks.ts'

/** The task of favorites. */
export const favoriteTasks = {
  favorites_counted: { step: recountFavorites, queries: 5, queriesPerDatabase: 6 + APPLY_QUERIES, calls: 0 },
} as const satisfies Record<string, Task>

/** The most assets that one step recounts. */
const MAX_ASSETS = 100

/**
 * How long a recount is postponed during a move, or after a change or another recount of its asset, in seconds: as long as a new
 * one waits.
 */
const WAIT_SECONDS = 45

type RecountRow = typeof favoriteRecounts.$inferSelect
type CountRow = typeof favoriteCounts.$inferSelect
type CountedRow = Pick<typeof gameAssets.$inferSelect, 'id' | 'recounts'>

/**
 * Adds up, over all databases, how many users have the assets among their favorites whose recounts are due. Writes the sums to the
 * assets and to their entries in the catalogue. Returns how many recounts it took. It sets `next_at` of the run when a later one
 * is due. A step that finds recounts of purged assets removes their favorites instead.
 *
 * Jobs of several databases may recount one asset at a time. Each reads the asset's `recounts` before it counts, and writes only
 * while that is the same. So a sum never replaces a later one. A recount whose sum was not written, and one whose mark has changed
 * meanwhile, is due again. It waits while partitions are being moved, because their rows are in two databases.
 */
export async function recountFavorites(ctx: StepContext): Promise<number> {
  const { db, databases } = ctx
  const now = seconds(ctx)
  const [due, [next]] = await db.read([
    sql<RecountRow>`SELECT asset_id, mark, due_at FROM favorite_recounts WHERE due_at <= ${now}
      ORDER BY due_at LIMIT ${MAX_ASSETS}`,
    sql<{
      due_at: number
    }>`SELECT due_at FROM favorite_recounts WHERE due_at > ${now} ORDER BY due_at LIMIT 1`,
  ])
  ctx.next_at = next?.due_at
  if (due.length === 0) return 0
  const ids = idsIn(due.map(({ asset_id }) => asset_id))
  const homes = await readEverywhere(
    databases,
    sql<CountedRow>`SELECT id, recounts FROM game_assets WHERE id IN (${ids})`,
  )
  const counts = await readEverywhere(
    databases,
    sql<CountRow>`SELECT asset_id, users FROM favorite_counts WHERE asset_id IN (${ids})`,
  )
  if (!homes || !counts) {
    ctx.next_at = now + WAIT_SECONDS
    return 0
  }
  const found = new Set(homes.flatMap(({ rows }) => rows.map(({ id }) => id)))
  const missing = due.map(({ asset_id }) => asset_id).filter((id) => !found.has(id))
  if (missing.length > 0) return removeMissing(ctx, missing, counts)
  const sums = new Map<string, number>()
  for (const { asset_id, users } of counts.flatMap(({ rows }) => rows))
    sums.set(asset_id, (sums.get(asset_id) ?? 0) + users)
  const withAssets = homes.filter(({ rows }) => rows.length > 0)
  const missed = await pooled(withAssets, ({ name, rows }) => setFavorites(ctx, name, rows, sums))
  await endRecounts(ctx, due, new Set(missed.flat()))
  // The job of each home applies the marks that fail here.
  for (const { name } of withAssets) await applyMarks(ctx, name)
  return due.length
}

/** Removes the favorites of assets that no database was seen to have. Returns how many assets, 0 when it has to wait. */
async function removeMissing(
  ctx: StepContext,
  missing: readonly string[],
  counts: readonly { name: string; rows: readonly CountRow[] }[],
): Promise<number> {
  // An asset that has moved between the reads of two databases was seen in neither.
  if ((await presentAmong(ctx, missing)).length > 0) {
    ctx.next_at = seconds(ctx) + WAIT_SECONDS
    return 0
  }
  const names = counts
    .filter(({ rows }) => rows.some(({ asset_id }) => missing.includes(asset_id)))
    .map(({ name }) => name)
  await removePurged(ctx, missing, names)
  return missing.length
}

/** Writes the sums to the assets of a database. Returns the ids of those that another job has recounted meanwhile. */
async function setFavorites(
  { databases }: StepContext,
  name: string,
  assets: readonly CountedRow[],
  sums: ReadonlyMap<string, number>,
): Promise<string[]> {
  const found = JSON.stringify(assets.map(({ id, recounts }) => [id, recounts, sums.get(id) ?? 0]))
  const values = { favorites: sql`found.value ->> 2`, recounts: sql`recounts + 1` }
  const written = await databases.whole(name).write(
    sql<{
      id: string
    }>`UPDATE game_assets SET ${assignments(gameAssets, values)} FROM json_each(${found}) AS found
      WHERE game_assets.id = found.value ->> 0 AND recounts = found.value ->> 1 RETURNING game_assets.id AS id`,
  )
  const ids = new Set(written.map(({ id }) => id))
  return assets.map(({ id }) => id).filter((id) => !ids.has(id))
}

/** Removes the recounts that are done. The others are due again later. */
async function endRecounts(
  ctx: StepContext,
  due: readonly RecountRow[],
  missed: ReadonlySet<string>,
): Promise<void> {
  const done = due
    .filter(({ asset_id }) => !missed.has(asset_id))
    .map(({ asset_id, mark }) => [asset_id, mark])
  const ids = idsIn(due.map(({ asset_id }) => asset_id))
  const later = seconds(ctx) + WAIT_SECONDS
  await ctx.db.write([
    sql`DELETE FROM favorite_recounts WHERE (asset_id, mark) IN (
        SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(done)}))`,
    sql`UPDATE favorite_recounts SET due_at = ${later} WHERE asset_id IN (${ids})`,
  ])
}

/** The ids of those of these assets that are not purged, in any database. @throws UNAVAILABLE */
export async function presentAmong(
  { databases }: Pick<StepContext, 'databases'>,
  asset_ids: readonly string[],
): Promise<string[]> {
  const wanted = asset_ids.filter(isId).map((id) => ({ id }))
  const found = await readByIds(
    databases,
    wanted,
    (some) =>
      sql<{ id: string }>`SELECT id FROM game_assets WHERE id IN (${idsIn(some.map(({ id }) => id))})`,
  )
  return found.map(({ id }) => id)
}

/**
 * Removes favorites of purged assets in these databases, up to BATCH_SIZE in each, and ends the recounts of the assets once no
 * favorite is left. Nobody sees these favorites, but they count in the limit of their users.
 */
async function removePurged(
  { db, databases }: StepContext,
  asset_ids: readonly string[],
  names: readonly string[],
): Promise<void> {
  const areLeft = await pooled(
    names.filter((name) => name !== db.name),
    (name) => removeIn(databases.whole(name), asset_ids),
  )
  // The run's own recounts lead to the favorites in all databases, so they end last.
  if (areLeft.includes(true)) return
  await removeIn(db, asset_ids)
}

/** Removes favorites of purged assets in one database, and the recounts of assets that have none left. Returns whether some are left. */
async function removeIn(db: StepContext['db'], asset_ids: readonly string[]): Promise<boolean> {
  const { removed } = await db.write({
    removed: sql<{ asset_id: string }>`DELETE FROM favorites WHERE (asset_id, user_id) IN (
        SELECT asset_id, user_id FROM favorites WHERE asset_id IN (${idsIn(asset_ids)}) LIMIT ${BATCH_SIZE}
      ) RETURNING asset_id`,
    ended: sql`DELETE FROM favorite_recounts WHERE asset_id IN (${idsIn(asset_ids)})
      AND NOT EXISTS (SELECT 1 FROM favorites WHERE favorites.asset_id = favorite_recounts.asset_id)`,
  })
  return removed.length === BATCH_SIZE
}

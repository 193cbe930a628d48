import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type StepContext } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { idsIn } from '../catalogue/check.ts'

/** Which of these assets are not purged, wherever they are. @throws UNAVAILABLE */
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
export async function removePurged(
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

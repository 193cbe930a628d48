import { runJob } from '../../src/janitor/run.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { databaseNames, databaseOf, everyDatabase, everywhere } from './databases.ts'
import { jobIn } from './objects.ts'

/** The days after which the recount of a change made now is due: a little more than 45 seconds. */
export const DUE = 50 / 86_400

/** The number of favorites that an asset shows, and how often it was recounted. */
export async function shownFavorites(
  asset_id: string,
): Promise<{ favorites: number; recounts: number } | null> {
  return databaseOf(asset_id)
    .prepare('SELECT favorites, recounts FROM game_assets WHERE id = ?')
    .bind(asset_id)
    .first()
}

/** How many users have an asset among their favorites, by the rows of all databases. */
export async function usersWith(asset_id: string): Promise<number> {
  const rows = await everywhere<{ users: number }>(
    'SELECT count(*) AS users FROM favorites WHERE asset_id = ?',
    asset_id,
  )
  return rows.reduce((sum, { users }) => sum + users, 0)
}

/** The ids of a user's favorites, in the order in which they were added. */
export async function favoritesOf({ user_id }: Pick<RequestContext, 'user_id'>): Promise<string[]> {
  const rows = await everywhere<{ asset_id: string }>(
    'SELECT asset_id FROM favorites WHERE user_id = ? ORDER BY id',
    user_id,
  )
  return rows.map(({ asset_id }) => asset_id)
}

/** The assets whose favorites are to be counted again, in all databases. */
export async function dueRecounts(): Promise<string[]> {
  const rows = await everywhere<{ asset_id: string }>(
    'SELECT asset_id FROM favorite_recounts ORDER BY asset_id',
  )
  return rows.map(({ asset_id }) => asset_id)
}

/** Makes every recount due now. */
export async function makeDue(): Promise<void> {
  for (const database of everyDatabase) await database.exec('UPDATE favorite_recounts SET due_at = 0')
}

/** Runs the job of each database, one after the other, when the recounts of all changes until now are due. */
export async function recount(days = DUE): Promise<void> {
  for (const name of databaseNames) await runJob(jobIn(days, name))
}

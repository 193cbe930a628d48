import { type SQL, sql } from 'drizzle-orm'
import type { JobContext } from '../../platform/context.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import type { catalogueEntries } from '../../platform/db/schema.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { markAssets } from './marks.ts'
import { LAST_REVISION } from './state.ts'

/*
 * The comparison of entries with assets, which finds what no mark says: entries from before a database went back in time, and
 * assets from before the catalogue.
 */

/** What is compared of an entry: the state that it was written from. */
export type EntryVersion = Pick<
  typeof catalogueEntries.$inferSelect,
  'id' | 'revision' | 'recounts' | 'favorites' | 'removed_at'
>

/** What is compared of an asset. */
export interface AssetVersion {
  id: string
  revision: number
  recounts: number
  favorites: number
  is_shown: 0 | 1
  /** Whether its mark waits: then a difference is no surprise. */
  is_marked: 0 | 1
}

/** SQL: the columns of an EntryVersion. */
export const entryVersion = sql`id, revision, recounts, favorites, removed_at`

/** SQL: the columns of an AssetVersion of a row of `game_assets`. */
export const assetVersion = sql`id, revision, recounts, favorites, is_in_catalogue = 1 AND ${isNotErased} AS is_shown,
  EXISTS (SELECT 1 FROM catalogue_marks WHERE asset_id = id) AS is_marked`

/** The context of a comparison: a run of the job, or an operator's request. */
export type CheckContext = Pick<JobContext, 'databases'>

/**
 * Reads the versions of these assets from their homes. An asset that is purged is missing, unless its mark waits.
 *
 * @throws UNAVAILABLE
 */
export async function readVersions(
  { databases }: CheckContext,
  ids: readonly string[],
): Promise<AssetVersion[]> {
  if (ids.length === 0) return []
  return readByIds(
    databases,
    ids.map((id) => ({ id })),
    (wanted) => {
      const those = idsIn(wanted.map(({ id }) => id))
      return sql<AssetVersion>`SELECT ${assetVersion} FROM game_assets WHERE id IN (${those})
        UNION ALL SELECT asset_id, ${LAST_REVISION}, 0, 0, 0, 1 FROM catalogue_marks
        WHERE asset_id IN (${those}) AND NOT EXISTS (SELECT 1 FROM game_assets WHERE id = asset_id)`
    },
  )
}

/** Reads the versions of the entries of these assets. An asset without an entry is missing. @throws UNAVAILABLE */
export async function readEntries(
  { databases }: CheckContext,
  ids: readonly string[],
): Promise<EntryVersion[]> {
  const [entries] = await databases.catalogue.send([
    sql<EntryVersion>`SELECT ${entryVersion} FROM catalogue_entries WHERE id IN (${idsIn(ids)})`,
  ])
  return entries
}

/**
 * Whether an entry does not show its asset as it is, although no mark waits. Undefined: there is none. A recount that found the
 * same number sets no mark, so `recounts` may differ.
 */
export function differs(asset: AssetVersion | undefined, entry: EntryVersion | undefined): boolean {
  if (asset?.is_marked) return false
  const isShown = entry !== undefined && entry.removed_at === null
  if (isShown !== (asset?.is_shown === 1)) return true
  return isShown && (entry.revision !== asset?.revision || entry.favorites !== asset.favorites)
}

/** An asset whose entry differs, and the entry, as they were compared: the entry first. */
export interface Wrong {
  id: string
  asset: AssetVersion | undefined
  entry: EntryVersion | undefined
}

/** Whether an entry has a later state than its asset: the asset's database has gone back in time. */
export function isAhead({ asset, entry }: Omit<Wrong, 'id'>): boolean {
  if (!asset || !entry) return false
  return entry.revision === asset.revision ? entry.recounts > asset.recounts : entry.revision > asset.revision
}

/**
 * Has the entries of these assets written anew from the states that the assets have: marks the assets at their homes. An entry
 * that is ahead of its asset first gets the asset's version, so that it takes the asset's state and none that is older.
 *
 * @throws UNAVAILABLE
 */
export async function writeAnew({ databases }: CheckContext, wrong: readonly Wrong[]): Promise<void> {
  const ahead = wrong
    .filter(isAhead)
    .map(({ id, asset, entry }) => [id, entry?.revision, entry?.recounts, asset?.revision, asset?.recounts])
  if (ahead.length > 0)
    await databases.catalogue.send([
      sql`UPDATE catalogue_entries SET revision = value ->> 3, recounts = value ->> 4 FROM json_each(${JSON.stringify(ahead)})
        WHERE catalogue_entries.id = value ->> 0 AND revision = value ->> 1 AND recounts = value ->> 2`,
    ])
  const homes = Map.groupBy(wrong, ({ id }) => databases.of(id).name)
  await pooled(homes, ([name, some]) =>
    databases
      .whole(name)
      .write(
        markAssets(sql`SELECT value AS asset_id FROM json_each(${JSON.stringify(some.map(({ id }) => id))})`),
      ),
  )
}

/** SQL: the ids of a list. */
export function idsIn(ids: readonly string[]): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(ids)})`
}

import { sql } from 'drizzle-orm'
import type { JobContext } from '../../platform/context.ts'
import { gameAssetTypes } from '../../platform/db/enumerations.ts'
import type { catalogueEntries } from '../../platform/db/schema.ts'
import { idsIn, joined } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { readByIds } from '../../platform/shards/homes.ts'
import { LAST_REVISION, seenRevision } from './entries.ts'
import { markAssets } from './write.ts'

/*
 * The comparison of entries with assets. It finds differences without a mark: entries from before a database was restored to an
 * earlier time, and assets from before the catalogue.
 */

/** The compared columns of an entry. They identify the state from which the entry was written. */
export type EntryVersion = Pick<
  typeof catalogueEntries.$inferSelect,
  'id' | 'revision' | 'recounts' | 'favorites' | 'removed_at' | 'rating'
>

/** SQL: the columns of an EntryVersion. */
export const entryVersion = sql`id, revision, recounts, favorites, removed_at, rating`

/** The compared columns of an asset. */
interface AssetVersion {
  id: string
  revision: number
  recounts: number
  favorites: number
  rating: EntryVersion['rating']
  is_shown: 0 | 1
  /** Whether a mark of the asset waits, so that a difference is expected. */
  is_marked: 0 | 1
}

/** SQL: the columns of an AssetVersion of a row of `game_assets`. */
const assetVersion = sql`id, ${seenRevision} AS revision, recounts, favorites, rating, is_in_catalogue = 1 AND ${isNotErased} AS is_shown,
  EXISTS (SELECT 1 FROM catalogue_marks WHERE asset_id = id) AS is_marked`

/** An asset and its entry. The entry was read first. */
interface Compared {
  id: string
  asset: AssetVersion | undefined
  entry: EntryVersion | undefined
}

/** The context of a comparison: a run of the job, or an operator's request. */
type CompareContext = Pick<JobContext, 'databases'>

/** Reads the assets of these entries from their homes. @throws UNAVAILABLE */
export async function withAssets(ctx: CompareContext, entries: readonly EntryVersion[]): Promise<Compared[]> {
  const assets = await readVersions(ctx, idsOf(entries))
  return entries.map((entry) => ({ id: entry.id, asset: assets.get(entry.id), entry }))
}

/** Reads the versions of these assets from their homes. An asset that is purged is missing, unless its mark waits. */
async function readVersions(
  { databases }: CompareContext,
  ids: readonly string[],
): Promise<Map<string, AssetVersion>> {
  if (ids.length === 0) return new Map()
  const versions = await readByIds(
    databases,
    ids.map((id) => ({ id })),
    (wanted) => {
      const those = idsIn(idsOf(wanted))
      return sql<AssetVersion>`SELECT ${assetVersion} FROM game_assets WHERE id IN (${those})
        UNION ALL SELECT asset_id, ${LAST_REVISION}, 0, 0, NULL, 0, 1 FROM catalogue_marks
        WHERE asset_id IN (${those}) AND NOT EXISTS (SELECT 1 FROM game_assets WHERE id = asset_id)`
    },
  )
  return byId(versions)
}

/**
 * Whether an entry differs from its asset although no mark waits. A recount that found the same number sets no mark, so
 * `recounts` may differ.
 */
export function differs({ asset, entry }: Compared): boolean {
  if (asset?.is_marked) return false
  const isShown = entry !== undefined && entry.removed_at === null
  if (isShown !== (asset?.is_shown === 1)) return true
  if (!isShown) return false
  return (
    entry.revision !== asset?.revision || entry.favorites !== asset.favorites || entry.rating !== asset.rating
  )
}

/** Whether an entry has a later state than its asset: the asset's database has gone back in time. */
function isAhead({ asset, entry }: Compared): boolean {
  if (!asset || !entry) return false
  return entry.revision === asset.revision ? entry.recounts > asset.recounts : entry.revision > asset.revision
}

/**
 * Marks these assets at their homes, so that their entries are rewritten. An entry that is ahead of its asset first gets the
 * asset's version, so that it accepts the asset's present state and no older one.
 *
 * @throws UNAVAILABLE
 */
export async function writeAnew({ databases }: CompareContext, wrong: readonly Compared[]): Promise<void> {
  const ahead = wrong
    .filter(isAhead)
    .map(({ id, asset, entry }) => [id, entry?.revision, entry?.recounts, asset?.revision, asset?.recounts])
  if (ahead.length > 0)
    await databases.catalogue.send([
      sql`UPDATE catalogue_entries SET revision = value ->> 3, recounts = value ->> 4 FROM json_each(${JSON.stringify(ahead)})
        WHERE catalogue_entries.id = value ->> 0 AND revision = value ->> 1 AND recounts = value ->> 2`,
    ])
  const homes = Map.groupBy(idsOf(wrong), (id) => databases.of(id).name)
  await pooled(homes, ([name, ids]) =>
    databases.whole(name).write(markAssets(sql`SELECT value AS asset_id FROM (${idsIn(ids)})`)),
  )
}

/** How many assets or entries one step of a walk compares. */
export const SLICE = 200

/** The result of a step of a walk. */
export interface Walked {
  compared: number
  /** The assets whose entries differ. */
  wrong: Compared[]
  /** The position from which the walk goes on; null: the walk has ended. */
  next: string | null
}

interface Step {
  /** The `next` of the step before; null: the walk begins. */
  after: string | null
  /** all: every asset. wrong (by default): those that differ. none: nothing is marked. */
  marks?: 'all' | 'wrong' | 'none'
}

/**
 * Compares the next assets of a database with their entries, the newest first, and marks those whose entry is missing or differs.
 *
 * @throws UNAVAILABLE
 */
export async function walkAssets(ctx: CompareContext, database: string, step: Step): Promise<Walked> {
  const { databases } = ctx
  const isNext = step.after === null ? sql.empty() : sql`AND id < ${step.after}`
  // A merge of one range of the index for each type.
  const ofType = (type: string) => sql`SELECT ${assetVersion} FROM game_assets INDEXED BY game_assets_listed
    WHERE is_listed = 1 AND type = ${type} ${isNext}`
  const assets = await databases
    .whole(database)
    .read(
      sql<AssetVersion>`${joined(gameAssetTypes.map(ofType), ' UNION ALL ')} ORDER BY id DESC LIMIT ${SLICE}`,
    )
  const [found] = await databases.catalogue.send([
    sql<EntryVersion>`SELECT ${entryVersion} FROM catalogue_entries WHERE id IN (${idsIn(idsOf(assets))})`,
  ])
  const entries = byId(found)
  const compared = assets.map((asset) => ({ id: asset.id, asset, entry: entries.get(asset.id) }))
  // An asset that has changed since it was read looks like one that has gone back in time.
  const seen = await readVersions(ctx, idsOf(compared.filter(isAhead)))
  const again = compared.map((one) => (isAhead(one) ? { ...one, asset: seen.get(one.id) } : one))
  return endStep(ctx, step, again, assets, ({ id }) => id)
}

/**
 * Compares the next entries with their assets, and marks the assets whose entry differs.
 *
 * @throws UNAVAILABLE
 */
export async function walkEntries(ctx: CompareContext, step: Step): Promise<Walked> {
  const [entries] = await ctx.databases.catalogue.send([
    sql<EntryVersion & { number: number }>`SELECT number, ${entryVersion} FROM catalogue_entries
      WHERE number > ${Number(step.after ?? 0)} ORDER BY number LIMIT ${SLICE}`,
  ])
  const shown = entries.filter(({ removed_at }) => removed_at === null)
  return endStep(ctx, step, await withAssets(ctx, shown), entries, ({ number }) => String(number))
}

/** Ends a step: marks the assets with wrong entries. Fewer than SLICE `rows` mean that the walk has ended. */
async function endStep<Row>(
  ctx: CompareContext,
  { marks = 'wrong' }: Step,
  compared: readonly Compared[],
  rows: readonly Row[],
  positionOf: (row: Row) => string,
): Promise<Walked> {
  const wrong = compared.filter((one) => marks === 'all' || differs(one))
  if (marks !== 'none') await writeAnew(ctx, wrong)
  const last = rows.length === SLICE ? rows.at(-1) : undefined
  return { compared: rows.length, wrong, next: last ? positionOf(last) : null }
}

function byId<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

import { sql } from 'drizzle-orm'
import { gameAssetTypes } from '../../platform/db/enumerations.ts'
import { joined } from '../../platform/db/sql.ts'
import {
  type AssetVersion,
  assetVersion,
  type CheckContext,
  differs,
  type EntryVersion,
  entryVersion,
  isAhead,
  readEntries,
  readVersions,
  type Wrong,
  writeAnew,
} from './check.ts'

/** How many assets or entries one step compares. */
export const SLICE = 200

/** What a step of a walk has compared. */
export interface Walked {
  compared: number
  /** The assets whose entries are to be written anew. */
  wrong: Wrong[]
  /** The position from which the walk goes on; null: it is at its end. */
  next: string | null
}

interface Step {
  /** The `next` of the step before; null: the walk begins. */
  after: string | null
  /** all: every asset. wrong (by default): those that differ. none: nothing is marked. */
  marks?: 'all' | 'wrong' | 'none'
}

/**
 * Compares the next assets of a database with their entries, the newest first, and marks those whose entry is missing or another
 * one.
 *
 * @throws UNAVAILABLE
 */
export async function walkAssets(
  ctx: CheckContext,
  database: string,
  { after, marks = 'wrong' }: Step,
): Promise<Walked> {
  const assets = await ctx.databases.whole(database).read(newestAssets(after))
  const entries = byIds(await readEntries(ctx, idsOf(assets)))
  const compared = assets.map((asset) => ({ id: asset.id, asset, entry: entries.get(asset.id) }))
  // An asset that has changed since it was read looks like one that has gone back in time.
  const seen = byIds(await readVersions(ctx, idsOf(compared.filter(isAhead))))
  const wrong = compared
    .map((one) => (isAhead(one) ? { ...one, asset: seen.get(one.id) } : one))
    .filter(({ asset, entry }) => marks === 'all' || differs(asset, entry))
  const last = assets.length === SLICE ? assets.at(-1)?.id : undefined
  return mark(ctx, { compared: assets.length, wrong, next: last ?? null }, marks)
}

/** The statement that reads the next assets that others can see: a merge of one range of the index for each type. */
function newestAssets(after: string | null) {
  const ofType = (type: string) => sql`SELECT ${assetVersion} FROM game_assets INDEXED BY game_assets_listed
    WHERE is_listed = 1 AND type = ${type} ${after === null ? sql.empty() : sql`AND id < ${after}`}`
  return sql<AssetVersion>`${joined(gameAssetTypes.map(ofType), ' UNION ALL ')} ORDER BY id DESC LIMIT ${SLICE}`
}

/**
 * Compares the next entries with their assets, and marks the assets that an entry shows as they are not.
 *
 * @throws UNAVAILABLE
 */
export async function walkEntries(ctx: CheckContext, { after, marks = 'wrong' }: Step): Promise<Walked> {
  const [entries] = await ctx.databases.catalogue.send([
    sql<EntryVersion & { number: number }>`SELECT number, ${entryVersion} FROM catalogue_entries
      WHERE number > ${Number(after ?? 0)} ORDER BY number LIMIT ${SLICE}`,
  ])
  const shown = entries.filter(({ removed_at }) => removed_at === null)
  const assets = byIds(await readVersions(ctx, idsOf(shown)))
  const wrong = shown
    .map((entry) => ({ id: entry.id, asset: assets.get(entry.id), entry }))
    .filter(({ asset, entry }) => marks === 'all' || differs(asset, entry))
  const last = entries.length === SLICE ? entries.at(-1)?.number : undefined
  const next = last === undefined ? null : String(last)
  return mark(ctx, { compared: entries.length, wrong, next }, marks)
}

async function mark(ctx: CheckContext, walked: Walked, marks: Step['marks']): Promise<Walked> {
  if (walked.wrong.length > 0 && marks !== 'none') await writeAnew(ctx, walked.wrong)
  return walked
}

function byIds<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

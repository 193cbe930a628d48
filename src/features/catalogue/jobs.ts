import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, seconds } from '../../platform/context.ts'
import { gameAssetTypes } from '../../platform/db/enumerations.ts'
import { progress } from '../../platform/db/schema.ts'
import { insert, joined } from '../../platform/db/sql.ts'
import { DAY } from '../../platform/lib/time-units.ts'
import { applyMarks } from './apply.ts'
import {
  type AssetVersion,
  assetVersion,
  differs,
  type EntryVersion,
  entryVersion,
  readEntries,
  readVersions,
  writeAnew,
} from './check.ts'

/** How many assets or entries one step compares. */
const SLICE = 200

/** How long the row of a removed entry stays, in seconds: longer than any write of an older state is under way. */
const REMOVED_SECONDS = DAY

/** Applies marks of the run's database. Returns how many. */
export function applyCatalogueMarks(ctx: JobContext): Promise<number> {
  return applyMarks(ctx, ctx.db.name)
}

/** The tasks of `progress` with the last asset and the last entry that were compared. */
const [ASSETS, ENTRIES] = ['catalogue_assets', 'catalogue_entries']

/**
 * Compares the next assets of the run's database with their entries, the newest first, and marks those whose entry is missing or
 * another one. Returns how many: while it finds any, the run goes on, which fills the catalogue of an upgraded deployment. So one
 * slice is compared in a run when nothing is wrong.
 */
export async function checkAssets(ctx: JobContext): Promise<number> {
  const after = await positionOf(ctx, ASSETS)
  const assets = await ctx.db.read(newestAssets(after))
  const entries = await readEntries(
    ctx,
    assets.map(({ id }) => id),
  )
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const wrong = assets.filter((asset) => differs(asset, byId.get(asset.id)))
  if (wrong.length > 0) await writeAnew(ctx, idsOf(wrong))
  const last = assets.length === SLICE ? assets.at(-1)?.id : undefined
  await moveTo(ctx, ASSETS, after, last ?? null)
  return wrong.length
}

/** The statement that reads the next assets that others can see. Those of all types are a merge of one range of the index for each. */
function newestAssets(after: string | null) {
  const ofType = (type: string) => sql`SELECT ${assetVersion} FROM game_assets INDEXED BY game_assets_listed
    WHERE is_listed = 1 AND type = ${type} ${after === null ? sql.empty() : sql`AND id < ${after}`}`
  return sql<AssetVersion>`${joined(gameAssetTypes.map(ofType), ' UNION ALL ')} ORDER BY id DESC LIMIT ${SLICE}`
}

/**
 * Compares the next entries with their assets, in the run of the first database, and has those written anew that show an asset as it
 * is not. Returns how many.
 */
export async function checkEntries(ctx: JobContext): Promise<number> {
  const { databases } = ctx
  if (ctx.db.name !== databases.first.name) return 0
  const after = await positionOf(ctx, ENTRIES)
  const [entries] = await databases.catalogue.send([
    sql<EntryVersion & { number: number }>`SELECT number, ${entryVersion} FROM catalogue_entries
      WHERE number > ${Number(after ?? 0)} ORDER BY number LIMIT ${SLICE}`,
  ])
  const shown = entries.filter(({ removed_at }) => removed_at === null)
  const assets = await readVersions(ctx, idsOf(shown))
  const byId = new Map(assets.map((asset) => [asset.id, asset]))
  const wrong = shown.filter((entry) => differs(byId.get(entry.id), entry))
  if (wrong.length > 0) await writeAnew(ctx, idsOf(wrong))
  const last = entries.length === SLICE ? entries.at(-1)?.number : undefined
  await moveTo(ctx, ENTRIES, after, last === undefined ? null : String(last))
  return wrong.length
}

/** Removes up to BATCH_SIZE rows of entries that were removed a day ago, in the run of the first database. Returns how many. */
export async function deleteRemovedEntries({ databases, db, now_ms }: JobContext): Promise<number> {
  if (db.name !== databases.first.name) return 0
  const [deleted] = await databases.catalogue.send([
    sql`DELETE FROM catalogue_entries WHERE number IN (
        SELECT number FROM catalogue_entries WHERE removed_at <= ${seconds({ now_ms }) - REMOVED_SECONDS}
        ORDER BY removed_at LIMIT ${BATCH_SIZE}
      ) RETURNING number`,
  ])
  return deleted.length
}

async function positionOf({ db }: JobContext, task: string): Promise<string | null> {
  const [walk] = await db.read<{ position: string | null }>(
    sql`SELECT position FROM progress WHERE task = ${task}`,
  )
  return walk?.position ?? null
}

/** Keeps the position, unless it is the same: a small database is compared whole in each run. */
async function moveTo(
  { db }: JobContext,
  task: string,
  from: string | null,
  to: string | null,
): Promise<void> {
  if (from === to) return
  await db.write(
    sql`${insert(progress, { task, position: to })} ON CONFLICT (task) DO UPDATE SET position = excluded.position`,
  )
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, seconds } from '../../platform/context.ts'
import { progress } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { DAY } from '../../platform/lib/time-units.ts'
import { applyMarks } from './apply.ts'
import { type Walked, walkAssets, walkEntries } from './walk.ts'

/** How long the row of a removed entry stays, in seconds: longer than any write of an older state is under way. */
const REMOVED_SECONDS = DAY

/** Applies marks of the run's database. Returns how many. */
export function applyCatalogueMarks(ctx: JobContext): Promise<number> {
  return applyMarks(ctx, ctx.db.name)
}

/** Compares the next assets of the run's database with their entries. Returns how many differed. */
export function checkAssets(ctx: JobContext): Promise<number> {
  return walkOn(ctx, 'catalogue_assets', (after) => walkAssets(ctx, ctx.db.name, { after }))
}

/** Compares the next entries with their assets, in the run of the first database. Returns how many differed. */
export async function checkEntries(ctx: JobContext): Promise<number> {
  if (!keepsCatalogue(ctx)) return 0
  return walkOn(ctx, 'catalogue_entries', (after) => walkEntries(ctx, { after }))
}

/**
 * Takes a step of a walk from where the last one ended. While a step finds differences, the run goes on, which fills the catalogue
 * of an upgraded deployment. So a run compares one slice when nothing is wrong.
 */
async function walkOn(
  { db }: JobContext,
  task: string,
  step: (after: string | null) => Promise<Walked>,
): Promise<number> {
  const [walk] = await db.read<{ position: string | null }>(
    sql`SELECT position FROM progress WHERE task = ${task}`,
  )
  const position = walk?.position ?? null
  const { wrong, next } = await step(position)
  if (next !== position)
    await db.write(
      sql`${insert(progress, { task, position: next })} ON CONFLICT (task) DO UPDATE SET position = excluded.position`,
    )
  return wrong.length
}

/** Removes up to BATCH_SIZE rows of entries that were removed a day ago, in the run of the first database. Returns how many. */
export async function deleteRemovedEntries(ctx: JobContext): Promise<number> {
  if (!keepsCatalogue(ctx)) return 0
  const [deleted] = await ctx.databases.catalogue.send([
    sql`DELETE FROM catalogue_entries WHERE number IN (
        SELECT number FROM catalogue_entries WHERE removed_at <= ${seconds(ctx) - REMOVED_SECONDS}
        ORDER BY removed_at LIMIT ${BATCH_SIZE}
      ) RETURNING number`,
  ])
  return deleted.length
}

/** Whether this run takes care of the catalogue's database: that of the first database does. */
export function keepsCatalogue({ databases, db }: JobContext): boolean {
  return db.name === databases.first.name
}

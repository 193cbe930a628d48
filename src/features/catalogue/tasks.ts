import { sql } from 'drizzle-orm'
import { type JobContext, type StepContext, seconds } from '../../platform/context.ts'
import { progress } from '../../platform/db/schema.ts'
import { idsIn, insert, perShape, statement } from '../../platform/db/sql.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { HOUR } from '../../platform/lib/units.ts'
import { isAtHome } from '../../platform/shards/homes.ts'
import {
  differs,
  type EntryVersion,
  entryVersion,
  SLICE,
  type Walked,
  walkAssets,
  walkEntries,
  withAssets,
  writeAnew,
} from './compare.ts'
import { stateColumns, writeEntries } from './entries.ts'
import { checkHiddenOwner } from './hidden-owners.ts'
import { deleteMarks, type MarkedRow } from './write.ts'

/** The number of marks that one step applies. */
export const MARKS_PER_STEP = 200

/** The most statements of a step of `applyMarks`, fences included. */
export const APPLY_QUERIES = 5

/** The tasks of the catalogue. */
export const catalogueTasks = {
  catalogue_applied: {
    step: (ctx) => applyMarks(ctx, ctx.db.name),
    due: () => sql`SELECT 1 FROM catalogue_marks WHERE asset_id > ''`,
    queries: APPLY_QUERIES,
    calls: 0,
  },
  catalogue_assets_checked: { step: checkAssets, queries: 8, calls: 0, feeds: ['catalogue_applied'] },
  catalogue_entries_checked: ofFirst(checkEntries),
  catalogue_owners_checked: ofFirst(checkHiddenOwner),
  catalogue_rows_removed: ofFirst(deleteRemovedEntries),
} as const satisfies Record<string, Task>

/** The marks of the newest assets in a database. `is_here` is 0 when the partition of the asset is open in another one. */
const newestMarks = perShape((database: string) =>
  statement(
    () => sql<
      MarkedRow & { is_here: 0 | 1 }
    >`SELECT marked.asset_id, marked.mark, ${isAtHome(sql`marked.asset_id`, database)} AS is_here, ${stateColumns}
      FROM (SELECT asset_id, mark FROM catalogue_marks ORDER BY asset_id DESC LIMIT ${MARKS_PER_STEP}) AS marked
      LEFT JOIN game_assets ON game_assets.id = marked.asset_id`,
  ),
)

/**
 * Applies the marks of the newest marked assets of a database: reads the assets, writes their entries, and deletes the marks that
 * have not been set again meanwhile. May be repeated, late, or interrupted anywhere. A mark of an asset in another database is
 * only deleted. Returns how many marks it deleted.
 *
 * @throws UNAVAILABLE, also while partitions of the database are being moved, because an incomplete copy must not be taken for
 * the assets
 */
export async function applyMarks(
  { databases, now_ms }: Pick<JobContext, 'databases' | 'now_ms'>,
  database: string,
): Promise<number> {
  const db = databases.whole(database)
  // A write, because only writes are refused during a move.
  const { rows } = await db.write({ rows: newestMarks(database)() })
  if (rows.length === 0) return 0
  const states = rows.filter(({ is_here }) => is_here === 1)
  await databases.catalogue.send([writeEntries(states, seconds({ now_ms }))])
  return (await db.write(deleteMarks(rows))).length
}

/** How long the row of a removed entry stays, in seconds: longer than a write of an older state can take. */
const REMOVED_SECONDS = HOUR

/** Compares the next assets of the run's database with their entries. Returns how many differed. */
function checkAssets(ctx: JobContext): Promise<number> {
  return walkOn(ctx, 'catalogue_assets', (after) => walkAssets(ctx, ctx.db.name, { after }))
}

/** Compares the next entries with their assets. Returns how many differed. */
function checkEntries(ctx: JobContext): Promise<number> {
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

/**
 * Removes rows of entries that were removed an hour ago. An asset that is in the catalogue although its entry was removed is
 * marked: the request that removed the entry was cut off before the change, and the mark that it left was applied before the
 * removal arrived. Returns how many rows it removed and assets it marked.
 */
export async function deleteRemovedEntries(ctx: JobContext): Promise<number> {
  const { catalogue } = ctx.databases
  const isOver = sql`removed_at <= ${seconds(ctx) - REMOVED_SECONDS}`
  const [removed] = await catalogue.send([
    sql<EntryVersion>`SELECT ${entryVersion} FROM catalogue_entries WHERE ${isOver} ORDER BY removed_at LIMIT ${SLICE}`,
  ])
  if (removed.length === 0) return 0
  const compared = await withAssets(ctx, removed)
  const wrong = compared.filter(differs)
  await writeAnew(ctx, wrong)
  const gone = compared.filter(({ asset }) => asset?.is_shown !== 1).map(({ id }) => id)
  const [deleted] = await catalogue.send([
    sql`DELETE FROM catalogue_entries WHERE id IN (${idsIn(gone)}) AND ${isOver} RETURNING number`,
  ])
  return deleted.length + wrong.length
}

/** A task that only the run of the first database takes. */
function ofFirst(step: Task['step']) {
  return {
    step: async (ctx: StepContext) => (ctx.db.name === ctx.databases.first.name ? step(ctx) : 0),
    queries: 24,
    calls: 0,
    feeds: ['catalogue_applied'],
  } as const
}

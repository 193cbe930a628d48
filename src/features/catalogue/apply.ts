import { sql } from 'drizzle-orm'
import { type JobContext, seconds } from '../../platform/context.ts'
import { type Params, perShape, statement } from '../../platform/db/sql.ts'
import { isAtHome } from '../../platform/shards/homes.ts'
import { writeEntries } from './entries.ts'
import { deleteMarks, type MarkedRow, markedOf } from './marks.ts'
import { stateColumns } from './state.ts'

/** The number of marks that one step applies. */
export const MARKS_PER_STEP = 200

/** The most statements of a step of `applyMarks`, fences included. */
export const APPLY_QUERIES = 5

/** A MarkedRow of any partition. */
type PlacedRow = MarkedRow & {
  /** 0: the partition of the asset is open in another database. */
  is_here: 0 | 1
}

/** The statement that reads the marks of the newest assets in the database of this name. */
const newestMarks = perShape((database: string) =>
  statement(
    (
      p: Params<'limit'>,
    ) => sql<PlacedRow>`SELECT marked.asset_id, marked.mark, ${isAtHome(sql`marked.asset_id`, database)} AS is_here, ${stateColumns}
      FROM (SELECT asset_id, mark FROM catalogue_marks ORDER BY asset_id DESC LIMIT ${p.limit}) AS marked
      LEFT JOIN game_assets ON game_assets.id = marked.asset_id`,
  ),
)

/**
 * Applies the marks of the newest marked assets of a database: reads the assets, writes their entries, and deletes the marks that
 * have not been set again meanwhile. May be repeated, late, or interrupted anywhere. A mark of an asset that is in another database
 * is deleted only. Returns how many marks it deleted.
 *
 * @throws UNAVAILABLE, also while partitions of the database are being moved: the rows of a copy are not to be taken for the assets
 */
export async function applyMarks(
  { databases, now_ms }: Pick<JobContext, 'databases' | 'now_ms'>,
  database: string,
): Promise<number> {
  const db = databases.whole(database)
  // A write, because only writes are refused during a move.
  const { rows } = await db.write({ rows: newestMarks(database)({ limit: MARKS_PER_STEP }) })
  if (rows.length === 0) return 0
  const states = rows.filter(({ is_here }) => is_here === 1).map((row) => markedOf(row).state)
  await databases.catalogue.send([writeEntries(states, seconds({ now_ms }))])
  return (await db.write(deleteMarks(rows))).length
}

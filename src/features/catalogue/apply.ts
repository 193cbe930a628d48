import { type JobContext, seconds } from '../../platform/context.ts'
import { writeEntries } from './entries.ts'
import { deleteMarks, markedOf, newestMarks } from './marks.ts'

/** The number of marks that one step applies. */
export const MARKS_PER_STEP = 200

/** The most statements of a step of `applyMarks`, fences included. */
export const APPLY_QUERIES = 5

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
  const { rows } = await db.write({ rows: newestMarks(database, MARKS_PER_STEP) })
  if (rows.length === 0) return 0
  const states = rows.filter(({ is_here }) => is_here === 1).map((row) => markedOf(row).state)
  await databases.catalogue.send([writeEntries(states, seconds({ now_ms }))])
  return (await db.write(deleteMarks(rows))).length
}

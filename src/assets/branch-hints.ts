import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, type RequestContext, seconds } from '../context.ts'
import { bucketIn, bucketTextOf } from '../db/id.ts'
import { isNotErased } from '../db/marks.ts'
import { branchHints } from '../db/schema.ts'
import { insert } from '../db/sql.ts'
import { checkHints, type Found, orFresher } from '../jobs/hints.ts'
import { duplicateName, isTaken } from './name.ts'

const KEY = ['source_id', 'bucket'] as const

/** How many hints a step looks at, and how many branches behind a hint. */
const [HINTS, BRANCHES] = [50, 200]

/** The statement that hints, with a source for which `condition` holds, that the user branches it. */
export function hintAtSource(source_id: string, user_id: string, now: number, condition: SQL): SQL {
  const hint = { source_id: sql`id`, bucket: bucketTextOf(user_id), hinted_at: now }
  return sql`${insert(branchHints, hint, sql`FROM game_assets WHERE id = ${source_id} AND ${condition}`)}
    ${orFresher(...KEY)}`
}

/**
 * Hints again that the caller has a branch, before a deleted one is restored, under another name if one is given: the job
 * may have removed the hint.
 *
 * @throws DUPLICATE_ASSET_NAME: without its hint, the branch must not be restored
 */
export async function hintAtRestoring(
  ctx: RequestContext,
  id: string,
  name: string | undefined,
): Promise<void> {
  const { db, databases, user_id } = ctx
  if (databases.isOnly) return
  db.usePrimary()
  const [branch] = await db.read<{ source_id: string; is_taken: 0 | 1 }>(
    sql`SELECT branched_from_asset_id AS source_id,
        deleted_at IS NOT NULL AND ${isTaken(sql`coalesce(${name ?? null}, branch.name)`, user_id)} AS is_taken
      FROM game_assets AS branch WHERE id = ${id} AND owner_id = ${user_id} AND branched_from_asset_id IS NOT NULL
        AND purging = 0 AND ${isNotErased}`,
  )
  if (branch?.is_taken) throw duplicateName()
  if (!branch || bucketIn(branch.source_id) === bucketIn(id)) return
  await databases
    .of(branch.source_id)
    .write(hintAtSource(branch.source_id, user_id, seconds(ctx), sql`purging = 0`))
}

type Hint = Pick<typeof branchHints.$inferSelect, (typeof KEY)[number]>

/** Looks for the branches behind the oldest hints at sources (`checkHints`). Returns how many it looked at. */
export function checkBranchHints(ctx: JobContext): Promise<number> {
  return checkHints<Hint>(ctx, { table: branchHints, key: KEY, limit: HINTS, needed: withBranches })
}

/**
 * The statement that answers which of those hints a branch stands behind, which is not deleted, and since when. Of a
 * source with many branches, the first ones decide that there may be others: since ever.
 */
function withBranches(hints: string): SQL<Found> {
  const among = (index: string, condition: string) =>
    sql`(SELECT iif(count(*) > ${BRANCHES}, 0, min(iif(substr(id, 21, 3) = hint.value ->> 1, created_at, NULL))) FROM (
      SELECT id, created_at FROM game_assets INDEXED BY ${sql.raw(index)}
      WHERE branched_from_asset_id = hint.value ->> 0 AND ${sql.raw(condition)} LIMIT ${BRANCHES + 1}))`
  return sql`SELECT place, since FROM (
      SELECT hint.key AS place, coalesce(${among('branches_listed', 'is_listed = 1')},
        ${among('branches_unlisted', 'is_listed = 0 AND deleted_at IS NULL')}) AS since FROM json_each(${hints}) AS hint
    ) WHERE since IS NOT NULL`
}

import { type SQL, sql } from 'drizzle-orm'
import type { JobContext } from '../context.ts'
import { partitionOf } from '../db/id.ts'
import { branchHints } from '../db/schema.ts'
import { insert } from '../db/sql.ts'
import { checkHints, type Found, orFresher } from './check-hints.ts'

const KEY = ['source_id', 'partition'] as const

/** How many hints a step looks at, and how many branches behind a hint. */
const [HINTS, BRANCHES] = [50, 200]

/** The statement that hints, with a source for which `condition` holds, that the user branches it. */
export function hintAtSource(source_id: string, user_id: string, now: number, condition: SQL): SQL {
  const hint = { source_id: sql`id`, partition: partitionOf(user_id), hinted_at: now }
  return sql`${insert(branchHints, hint, sql`FROM game_assets WHERE id = ${source_id} AND ${condition}`)}
    ${orFresher(...KEY)}`
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

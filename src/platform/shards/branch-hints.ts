import { type SQL, sql } from 'drizzle-orm'
import type { JobContext } from '../context.ts'
import { branchHints } from '../db/schema.ts'
import { checkHints, type Found } from './check-hints.ts'
import type { PartitionState } from './partitions.ts'

/** The columns of the key of `branch_hints`. */
export const BRANCH_HINT_KEY = ['source_id', 'partition'] as const

/** How many hints a step looks at, and how many branches behind a hint. */
const [HINTS, BRANCHES] = [50, 200]

/** Of an asset that users of more partitions have branched, every database is asked. */
export const MAX_BRANCH_HINTS = 256

/**
 * The statement that reads the hints to the branches of an asset, where the asset is, and what its database knows of the
 * partitions: one more than MAX_BRANCH_HINTS at most.
 */
export function branchHintsOf(source_id: string): SQL<PartitionState> {
  return sql<PartitionState>`SELECT partition,
      (SELECT state FROM partitions AS place WHERE place.partition = hint.partition) AS state,
      (SELECT moved_to FROM partitions AS place WHERE place.partition = hint.partition) AS moved_to
    FROM branch_hints AS hint WHERE hint.source_id = ${source_id} LIMIT ${MAX_BRANCH_HINTS + 1}`
}

type Hint = Pick<typeof branchHints.$inferSelect, (typeof BRANCH_HINT_KEY)[number]>

/** Looks for the branches behind the oldest hints at sources (`checkHints`). Returns how many it looked at. */
export function checkBranchHints(ctx: JobContext): Promise<number> {
  return checkHints<Hint>(ctx, {
    table: branchHints,
    key: BRANCH_HINT_KEY,
    limit: HINTS,
    needed: withBranches,
  })
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

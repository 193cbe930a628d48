import { type SQL, sql } from 'drizzle-orm'
import type { JobContext } from '../context.ts'
import { branchHints } from '../db/schema.ts'
import { checkHints, type FoundLink } from './check-hints.ts'
import { type PartitionState, stateColumns } from './partitions.ts'

/** The columns of the key of `branch_hints`. */
export const BRANCH_HINT_KEY = ['source_id', 'partition'] as const

/** The most hints that one step checks, and the most branches that it reads for one hint from one index. */
const [MAX_HINTS, MAX_BRANCHES] = [50, 200]

/** The list of an asset's branches asks every database when the asset has more hints. */
export const MAX_BRANCH_HINTS = 256

/**
 * The statement that reads, in the database of an asset, the hints to its branches, and the states of their partitions: at
 * most MAX_BRANCH_HINTS + 1.
 */
export function branchHintsOf(source_id: string): SQL<PartitionState> {
  return sql<PartitionState>`SELECT partition, ${sql.raw(stateColumns('hint.partition'))}
    FROM branch_hints AS hint WHERE hint.source_id = ${source_id} LIMIT ${MAX_BRANCH_HINTS + 1}`
}

type Hint = Pick<typeof branchHints.$inferSelect, (typeof BRANCH_HINT_KEY)[number]>

/** Looks for the branches of the oldest hints at sources (`checkHints`). Returns how many hints it checked. */
export function checkBranchHints(ctx: JobContext): Promise<number> {
  return checkHints<Hint>(ctx, {
    table: branchHints,
    key: BRANCH_HINT_KEY,
    limit: MAX_HINTS,
    linksOf: branchesOfHints,
  })
}

/**
 * The statement that finds the oldest live branch for each of these hints. A source with more than MAX_BRANCHES in an index
 * keeps the hint as if a branch had always existed: the others are not read.
 */
function branchesOfHints(hints: string): SQL<FoundLink> {
  const createdAt = (index: string, condition: string) =>
    sql`(SELECT iif(count(*) > ${MAX_BRANCHES}, 0, min(iif(substr(id, 21, 3) = hint.value ->> 1, created_at, NULL))) FROM (
      SELECT id, created_at FROM game_assets INDEXED BY ${sql.raw(index)}
      WHERE branched_from_asset_id = hint.value ->> 0 AND ${sql.raw(condition)} LIMIT ${MAX_BRANCHES + 1}))`
  return sql`SELECT hint_index, since FROM (
      SELECT hint.key AS hint_index, coalesce(${createdAt('branches_in_catalogue', 'is_in_catalogue = 1')},
        ${createdAt('branches_elsewhere', 'is_in_catalogue = 0 AND deleted_at IS NULL')}) AS since FROM json_each(${hints}) AS hint
    ) WHERE since IS NOT NULL`
}

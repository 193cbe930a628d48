import { type SQL, sql } from 'drizzle-orm'
import { type JobContext, type RequestContext, seconds } from '../../platform/context.ts'
import type { WriteCondition } from '../../platform/db/database.ts'
import { partitionOf } from '../../platform/db/id.ts'
import { branchHints } from '../../platform/db/schema.ts'
import type { Statement } from '../../platform/db/session.ts'
import { insert, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { checkHints, type FoundLink, orFresher } from '../../platform/shards/check-hints.ts'
import { nearOrFar } from '../../platform/shards/near.ts'
import { type PartitionState, stateColumns } from '../../platform/shards/partitions.ts'
import { isReadable, type Viewer } from './access.ts'
import { hasVariants } from './variants.ts'

/** The columns of the key of `branch_hints`. */
const BRANCH_HINT_KEY = ['source_id', 'partition'] as const

/** The source of a branch that is about to be written. */
interface Source {
  source_id: string
  /** The version of a new branch. null: the branch is restored, which needs no source. */
  version: number | null
  /** The contents of the variants that a new branch takes along, as a JSON array. */
  object_keys: string | null
}

/** The parts of the batch that writes the branch. */
export interface BranchLink {
  /** The first statements of the batch. */
  hint: Statement[]
  condition: WriteCondition
  /** Whether the source is in the database of the batch, which then looks for it. Otherwise it has been found already. */
  isNear: boolean
}

/** The link of a branch of an asset in the caller's own partition. */
export const noLink: BranchLink = { hint: [], condition: {}, isNear: true }

type LinkParams = Params<'source_id' | 'version' | 'object_keys' | Viewer | 'partition' | 'now'>

const link = perShape(({ isNew }: { isNew: boolean }) => {
  const isThere = (p: LinkParams) =>
    isNew
      ? sql`${isReadable(p)}
          AND EXISTS (SELECT 1 FROM asset_versions WHERE asset_id = ${p.source_id} AND version = ${p.version})
          AND ${hasVariants({ asset_id: p.source_id, version: p.version, object_keys: p.object_keys })}`
      : sql`purging = 0`
  const source = (p: LinkParams) => sql`FROM game_assets WHERE id = ${p.source_id} AND ${isThere(p)}`
  return {
    sources: statement((p: LinkParams) => sql<{ id: string }>`SELECT id ${source(p)}`),
    hint: statement((p: LinkParams) => {
      const hint = { source_id: sql`id`, partition: p.partition, hinted_at: p.now }
      return sql`${insert(branchHints, hint, source(p))} ${orFresher(...BRANCH_HINT_KEY)}`
    }),
  }
})

/**
 * Writes a branch, and a hint in the source's database by which the source's list of branches finds the branch
 * (docs/scaling.md). In one database, hint and branch are one batch. Otherwise the hint is written first, if the source is
 * there. A branch of an asset in the caller's own partition needs no hint. Returns the result of `write`; undefined when the
 * source of a new branch is not there.
 *
 * @throws UNAVAILABLE, and what `write` throws
 */
export function linkToSource<Made>(
  ctx: RequestContext,
  { source_id, version, object_keys }: Source,
  write: (link: BranchLink) => Promise<Made | undefined>,
): Promise<Made | undefined> {
  if (isInOwnPartition(ctx, source_id)) return write(noLink)
  const { db, databases, user_id, hidden_ratings } = ctx
  const home = databases.of(source_id)
  const isNew = version !== null
  const viewer = { user_id, hidden_ratings }
  const values = {
    source_id,
    version,
    object_keys,
    ...viewer,
    partition: partitionOf(user_id),
    now: seconds(ctx),
  }
  const { sources, hint } = link({ isNew })
  return nearOrFar(db, home, {
    near: (condition) => write({ hint: [hint(values)], condition, isNear: true }),
    far: async () => {
      const { sources: found } = await home.write({ sources: sources(values), hint: hint(values) })
      return isNew && found.length === 0 ? undefined : write({ hint: [], condition: {}, isNear: false })
    },
  })
}

/**
 * SQL: whether a row of `game_assets` needs no hint: it is no branch, or a branch of an asset in this partition, which is its
 * owner's.
 */
export function needsNoHint(partition: SQL): SQL {
  return sql`(branched_from_asset_id IS NULL OR substr(branched_from_asset_id, 21, 3) = ${partition})`
}

/** Whether an asset is in the caller's own partition: a branch of it needs no hint. */
export function isInOwnPartition({ db, databases }: RequestContext, id: string): boolean {
  return databases.of(id).partition === db.partition
}

/** The most hints that one step checks, and the most branches that it reads for one hint from one index. */
const [MAX_HINTS, MAX_BRANCHES] = [50, 200]

/** The list of an asset's branches asks every database when the asset has more hints. */
export const MAX_BRANCH_HINTS = 256

/**
 * The statement that reads, in the database of an asset, the hints to its branches, and the states of their partitions: at
 * most MAX_BRANCH_HINTS + 1.
 */
export const branchHintsOf = statement(
  (p: Params<'source_id'>) => sql<PartitionState>`SELECT partition, ${sql.raw(stateColumns('hint.partition'))}
    FROM branch_hints AS hint WHERE hint.source_id = ${p.source_id} LIMIT ${MAX_BRANCH_HINTS + 1}`,
)

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

import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import type { WriteCondition } from '../db/database.ts'
import { partitionIn, partitionOf } from '../db/id.ts'
import { branchHints } from '../db/schema.ts'
import { provesNoWrite, type Statement } from '../db/session.ts'
import { insert } from '../db/sql.ts'
import { BRANCH_HINT_KEY } from './branch-hints.ts'
import { orFresher } from './check-hints.ts'
import { putMarker, removeMarker } from './markers.ts'
import { nearOrFar } from './near.ts'

/** A branch that is about to be written. */
interface NewBranch {
  source_id: string
  /** SQL: whether the row of `game_assets` with the source's id gets the hint. */
  isThere: SQL
  /** Whether the branch is also written when the source is not there. */
  mayBeGone?: boolean
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

/**
 * Writes a branch, and a hint in the source's database by which the source's list of branches finds the branch
 * (docs/scaling.md). In one database, hint and branch are one batch. Otherwise the hint is written first, if the source is
 * there. A branch of an asset in the caller's own partition needs no hint. Returns the result of `write`; undefined when the
 * source is not there.
 *
 * @throws UNAVAILABLE, and what `write` throws
 */
export function linkToSource<Made>(
  ctx: RequestContext,
  { source_id, isThere, mayBeGone = false }: NewBranch,
  write: (link: BranchLink) => Promise<Made | undefined>,
): Promise<Made | undefined> {
  if (isInOwnPartition(ctx, source_id)) return write(noLink)
  const { db, databases, user_id } = ctx
  const home = databases.of(source_id)
  const hint = { source_id: sql`id`, partition: partitionOf(user_id), hinted_at: seconds(ctx) }
  const isSource = sql`id = ${source_id} AND ${isThere}`
  const hintAtSource = sql`${insert(branchHints, hint, sql`FROM game_assets WHERE ${isSource}`)}
    ${orFresher(...BRANCH_HINT_KEY)}`
  return nearOrFar(db, home, {
    near: (condition) => write({ hint: [hintAtSource], condition, isNear: true }),
    far: async () => {
      const { sources } = await home.write({
        sources: sql<{ id: string }>`SELECT id FROM game_assets WHERE ${isSource}`,
        hint: hintAtSource,
      })
      return mayBeGone || sources.length > 0 ? write({ hint: [], condition: {}, isNear: false }) : undefined
    },
  })
}

/** SQL: whether a row of `game_assets` needs no hint: it is no branch, or a branch of an asset in the user's own partition. */
export function needsNoHint(user_id: string): SQL {
  return sql`(branched_from_asset_id IS NULL OR substr(branched_from_asset_id, 21, 3) = ${partitionOf(user_id)})`
}

/** Whether an asset is in the caller's own partition: a branch of it needs no hint. */
export function isInOwnPartition({ db, databases }: RequestContext, id: string): boolean {
  return databases.of(id).partition === db.partition
}

/** SQL: whether content was uploaded in the user's own partition: a version with it needs no marker. */
export function isOwnContent(object_key: SQL, user_id: string): SQL {
  return sql`substr(${object_key}, 21, 3) = ${partitionOf(user_id)}`
}

/**
 * SQL: whether the content of a source in another database can be shared, in the user's home. Content of the user's own
 * partition may be gone; a marker keeps other content.
 */
export function isContentKept(object_key: string, user_id: string): SQL {
  const own = partitionOf(user_id)
  if (partitionIn(object_key) !== own) return sql`1`
  return sql`(EXISTS (SELECT 1 FROM garbage WHERE object_key = ${object_key} AND is_version = 1 AND deleting = 0)
    OR EXISTS (SELECT 1 FROM asset_versions WHERE object_key = ${object_key} AND substr(asset_id, 21, 3) = ${own}))`
}

/** Content that a new asset of the caller shares with its source. */
interface SharedContent {
  object_key: string
  asset_id: string
}

/**
 * Writes a version with the marker that keeps its content, if the content was uploaded in another partition. The marker is put
 * before the version, and removed when the version is certainly not written. Content of the caller's own partition needs no
 * marker: the batch that writes the version removes the content from `garbage`, or is refused.
 *
 * @throws UNAVAILABLE, and what `write` throws
 */
export async function keepContent<Made>(
  ctx: RequestContext,
  content: SharedContent,
  write: () => Promise<Made | undefined>,
): Promise<Made | undefined> {
  if (partitionIn(content.object_key) === partitionOf(ctx.user_id)) return write()
  await putMarker(ctx, content)
  try {
    const made = await write()
    if (made === undefined) await removeMarker(ctx, content)
    return made
  } catch (error) {
    // Otherwise the version may be written: the marker stays, and the job checks it.
    if (provesNoWrite(error)) await removeMarker(ctx, content)
    throw error
  }
}

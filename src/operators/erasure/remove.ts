import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { markAssetsPurging } from '../../features/assets/purge.ts'
import { childIds } from '../../features/files/tree/children.ts'
import { sharesRevoked } from '../../features/shares/events.ts'
import { deleteEmptied, markEmptied } from '../../features/trash/empty.ts'
import { uploadFailed } from '../../features/uploads/events.ts'
import { type JobContext, seconds } from '../../platform/context.ts'
import { assetTypes } from '../../platform/db/enumerations.ts'
import { erasures, files } from '../../platform/db/schema.ts'
import type { Statement } from '../../platform/db/session.ts'
import { assignments, columnsOf, joined, type Rendered, type RowOf } from '../../platform/db/sql.ts'
import type { ErasedTable } from '../../platform/db/user-rows.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'
import { isUnerasedHint } from '../../platform/shards/share-hints.ts'
import { enqueueDeletion } from '../../platform/storage/garbage.ts'
import { parkedOf } from '../events/parked.ts'

/*
 * The statements of an erasure. The request runs each once; the job repeats them until nothing is left. Each takes what
 * a user made by `until` (Unix seconds).
 */

const { next_at, ...columns } = getTableColumns(erasures)

/** The columns of an erasure that its steps use. */
export interface ErasureRow extends RowOf<typeof columns> {}

/** SQL: the columns of an ErasureRow. */
export const erasureColumns = columnsOf(columns)

/** The statement that records that the inbox has been erased. */
export function markInboxErased(user_id: string, until: number): SQL {
  return sql`UPDATE erasures SET inbox_erased = 1 WHERE user_id = ${user_id} AND until = ${until} AND inbox_erased = 0`
}

/**
 * The statements that mark or remove up to `limit` rows of each table: files, assets, content that is kept, shares and
 * idempotency keys; and that take the user's id out of blocks.
 */
export function removeContent(ctx: EventContext, user_id: string, until: number, limit: number): Statement[] {
  const { now_ms } = ctx
  const isSome = (ids: SQL) => sql`id IN (${ids} LIMIT ${limit})`
  const purgedFile = { purging: 1 as const, trashed_at: now_ms, revision: sql`revision + 1` }
  return [
    sql`UPDATE files SET ${assignments(files, purgedFile)} WHERE ${isSome(filesAtRoot(user_id, until))} RETURNING id`,
    markEmptied(user_id, limit),
    markAssetsPurging(isSome(ownAssets(user_id, until)), now_ms, null),
    // Content that the user had deleted before does not stay any longer.
    sql`UPDATE garbage SET next_at = 0, kept_until = NULL, kept_for = NULL
      WHERE object_key IN (${keptContent(user_id, until)} LIMIT ${limit}) RETURNING object_key`,
    ...removeShares(ctx, user_id, until, limit),
    forgetModerator(ctx, user_id, until, limit),
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (${keysOf(user_id, until)} LIMIT ${limit}) RETURNING key`,
  ]
}

/**
 * The statement that takes the user's id out of up to `limit` blocks that the user has put as a moderator. The things stay
 * blocked. It takes those of until now too: a thing that leaves a blocked folder copies the folder's moderator.
 */
export function forgetModerator(
  ctx: Pick<JobContext, 'now_ms'>,
  user_id: string,
  until: number,
  limit: number,
): SQL {
  const blocks = blocksBy(user_id, Math.max(until, seconds(ctx)))
  return sql`UPDATE blocks SET blocked_by = NULL WHERE (kind, id) IN (${blocks} LIMIT ${limit}) RETURNING id`
}

/** The statements that remove up to `limit` shares with the user. */
export function removeShares(ctx: EventContext, user_id: string, until: number, limit: number): Statement[] {
  const isSome = sql`id IN (${sharesWith(user_id, until)} LIMIT ${limit})`
  return [...sharesRevoked(ctx, isSome, 'user_erased'), sql`DELETE FROM shares WHERE ${isSome} RETURNING id`]
}

/**
 * The statements that remove up to `limit` uploads of assets and queue their objects for deletion. They follow the
 * statements that remove versions, because a version keeps its upload.
 */
export function removeUploads(ctx: EventContext, user_id: string, until: number, limit: number): Statement[] {
  const isSome = sql`id IN (${assetUploads(user_id, until)} LIMIT ${limit})`
  return [
    ...uploadFailed(ctx, isSome, 'target_gone'),
    enqueueDeletion(sql`${isSome} AND state <> 'completed'`, seconds(ctx)),
    sql`DELETE FROM uploads WHERE ${isSome} RETURNING id`,
  ]
}

/**
 * The statements that end an erasure of which nothing is left, also where others have shared with the user, and then delete
 * the usage row if it holds neither a count nor a limit. Where the user was a moderator of other databases'
 * things, `forgetModeratorElsewhere` comes first. An erasure stays until `until` has passed: a second one needs to know that what was made meanwhile was
 * made at `until` + 1.
 */
export function endErasure(ctx: EventContext, user_id: string, until: number): Statement[] {
  const left = [
    ...whatIsLeft(user_id, until),
    ...tracesLeft(ctx, user_id, until),
    sql`SELECT 1 FROM files WHERE owner_id = ${user_id} AND purging = 1`,
  ]
  const isNothingLeft = joined(
    left.map((rows) => sql`NOT EXISTS (${rows})`),
    ' AND ',
  )
  const isOver = sql`user_id = ${user_id} AND until = ${until} AND until < ${seconds(ctx)} AND inbox_erased = 1
      AND ${isNothingLeft}`
  return [
    deleteEmptied(user_id),
    ...userErased(ctx, user_id, isOver),
    sql`DELETE FROM erasures WHERE ${isOver} RETURNING user_id`,
    sql`DELETE FROM usage WHERE user_id = ${user_id}
      AND (used_bytes, items, assets, versions, public_assets) = (0, 0, 0, 0, 0)
      AND (open_uploads, ended_uploads, idempotency_keys) = (0, 0, 0) AND limit_bytes IS NULL
      AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.user_id = usage.user_id)`,
  ]
}

/** The statement that writes that a user has been erased, before the statement that ends the erasure. */
function userErased(ctx: EventContext, user_id: string, isOver: SQL): Rendered[] {
  return eventStatement(ctx, 'user.erased', () => ({
    resource_id: user_id,
    user_id,
    data: { user_id },
    from: sql`FROM erasures WHERE ${isOver}`,
  }))
}

/** How the rows of each table are found that the user made by then, except those in the trash: SQL. */
const content: Record<ErasedTable<'content'>, (user_id: string, until: number) => SQL> = {
  files: filesAtRoot,
  game_assets: (user_id, until) => sql`${ownAssets(user_id, until)}
    UNION ALL SELECT id FROM game_assets WHERE owner_id = ${user_id} AND created_at <= ${until} AND purging = 1`,
  uploads: assetUploads,
  shares: sharesWith,
  garbage: keptContent,
  idempotency: keysOf,
}

/** SQL: what an erasure removes, in queries that find it: all that was made by then, except what is in the trash. */
export function whatIsLeft(user_id: string, until: number): SQL[] {
  return Object.values(content).map((find) => find(user_id, until))
}

/** SQL: what else names the user, in queries that find it. */
function tracesLeft(ctx: EventContext, user_id: string, until: number): SQL[] {
  const traces: Record<ErasedTable<'trace'>, SQL[]> = {
    outbox: parkedOf(ctx, user_id, until),
    blocks: [blocksBy(user_id, Math.max(until, seconds(ctx)))],
    trash_emptied: [sql`SELECT 1 FROM trash_emptied WHERE owner_id = ${user_id}`],
    share_hints: [sql`SELECT 1 FROM share_hints WHERE ${isUnerasedHint(user_id, until)}`],
  }
  return Object.values(traces).flat()
}

/** The statement that ends an erasure where the user is a guest, once nothing that was shared with the user is left there. */
export function endGuest(user_id: string, until: number, now: number): SQL {
  return sql`DELETE FROM erasures WHERE user_id = ${user_id} AND until = ${until} AND until < ${now} AND is_guest = 1
    AND NOT EXISTS (${sharesWith(user_id, until)}) RETURNING user_id`
}

/** SQL: the ids of the user's items at the root level that were not deleted by themselves. */
function filesAtRoot(user_id: string, until: number): SQL {
  return childIds(
    sql`(SELECT ${user_id} AS user_id) AS erased`,
    sql`child.owner_id = erased.user_id AND child.parent_id IS NULL AND child.asset_type IN ${[...assetTypes]}
      AND child.created_at <= ${until}`,
  )
}

/** SQL: the ids of the user's assets that are not marked yet, deleted or not. */
function ownAssets(user_id: string, until: number): SQL {
  const isOwn = sql`owner_id = ${user_id} AND created_at <= ${until}`
  return sql`SELECT id FROM game_assets INDEXED BY game_assets_own WHERE ${isOwn} AND deleted_at IS NULL
    UNION ALL SELECT id FROM game_assets INDEXED BY game_assets_deleted
    WHERE ${isOwn} AND deleted_at IS NOT NULL AND purging = 0`
}

/** SQL: the ids of the user's uploads of assets, except those whose version still exists. */
function assetUploads(user_id: string, until: number): SQL {
  return sql`SELECT id FROM uploads INDEXED BY uploads_of_assets
    WHERE owner_id = ${user_id} AND created_at <= ${until} AND upload_type = 'game_asset'
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE asset_versions.id = uploads.completion_id)`
}

/** SQL: the user's idempotency keys. */
function keysOf(user_id: string, until: number): SQL {
  return sql`SELECT caller_id, key FROM idempotency WHERE caller_id = ${user_id} AND created_at <= ${until}`
}

/** SQL: the keys of content that the user deleted permanently and that stays for a while. */
function keptContent(user_id: string, until: number): SQL {
  return sql`SELECT object_key FROM garbage WHERE kept_for = ${user_id} AND enqueued_at <= ${until}`
}

/** SQL: the blocks in which the user stands as the moderator. */
export function blocksBy(user_id: string | SQL, until: number | SQL): SQL {
  return sql`SELECT kind, id FROM blocks INDEXED BY blocks_by_moderator
    WHERE blocked_by = ${user_id} AND blocked_at <= ${until}`
}

/** SQL: the ids of the shares with the user. Each value of `expired` has an index of its own. */
export function sharesWith(user_id: string, until: number): SQL {
  const ofFlag = (expired: SQL) =>
    sql`SELECT id FROM shares WHERE grantee_id = ${user_id} AND expired = ${expired} AND created_at <= ${until}`
  return sql`${ofFlag(sql`0`)} UNION ALL ${ofFlag(sql`1`)}`
}

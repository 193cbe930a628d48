import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { markAssetsPurging } from '../../features/assets/delete.ts'
import { childIds } from '../../features/files/path.ts'
import { forgetInModeration, isKnownToModeration } from '../../features/moderation/forget.ts'
import { mutesNaming } from '../../features/mutes/copy.ts'
import { shareRevoked } from '../../features/shares/events.ts'
import { isUnerasedHint } from '../../features/shares/hints.ts'
import { deleteEmptied, markEmptied } from '../../features/trash/empty.ts'
import { type FailureReason, uploadFailed } from '../../features/uploads/events.ts'
import { enqueueDeletion } from '../../features/uploads/transitions.ts'
import { type JobContext, seconds } from '../../platform/context.ts'
import { entriesAbout, entriesBy } from '../../platform/db/audit.ts'
import { assetTypes } from '../../platform/db/enumerations.ts'
import { partitionOf } from '../../platform/db/id.ts'
import { erasures, files } from '../../platform/db/schema.ts'
import type { Statement } from '../../platform/db/session.ts'
import { assignments, columnsOf, joined, type Params, type RowOf } from '../../platform/db/sql.ts'
import { type EventContext, eventWriter } from '../../platform/events/record.ts'
import { parkedOf } from '../events/parked.ts'
import type { ErasedTable } from '../user-rows.ts'

/*
 * The statements of an erasure. The request runs each once; the job repeats them until nothing is left. Each concerns rows
 * that a user made by `until` (Unix seconds).
 */

const { next_at, ...columns } = getTableColumns(erasures)

/** The columns of an erasure that its steps use. */
export interface ErasureRow extends RowOf<typeof columns> {}

/** An erasure: all that the user made by `until` (Unix seconds). `mark` stands for the user in what stays. */
export type Watermark = Pick<ErasureRow, 'user_id' | 'until' | 'mark'>

/** SQL: the columns of an ErasureRow. */
export const erasureColumns = columnsOf(columns)

/**
 * The statements that mark, remove or release up to `limit` rows of each table: files, assets, retained content, shares,
 * idempotency keys, favorites, mutes and the profile. They also remove the user's id from blocks, the audit and moderation.
 */
export function removeContent(ctx: EventContext, erasure: Watermark, limit: number): Statement[] {
  const { now_ms } = ctx
  const { user_id, until } = erasure
  const isSome = (ids: SQL) => sql`id IN (${ids} LIMIT ${limit})`
  const purgedFile = { purging: 1 as const, trashed_at: now_ms, revision: sql`revision + 1` }
  return [
    sql`UPDATE files SET ${assignments(files, purgedFile)} WHERE ${isSome(filesAtRoot(user_id, until))} RETURNING id`,
    markEmptied({ owner_id: user_id, limit }),
    markAssetsPurging(isSome(ownAssets(user_id, until)), now_ms, null),
    // Retained content of the user is due for deletion at once.
    sql`UPDATE garbage SET next_at = 0, kept_until = NULL, kept_for = NULL
      WHERE object_key IN (${keptContent(user_id, until)} LIMIT ${limit}) RETURNING object_key`,
    ...removeShares(ctx, user_id, until, limit),
    ...forgetModerator(ctx, erasure, limit),
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (${keysOf(user_id, until)} LIMIT ${limit}) RETURNING key`,
    sql`DELETE FROM favorites WHERE (user_id, asset_id) IN (${favoritesOf(user_id, until)} LIMIT ${limit}) RETURNING asset_id`,
    sql`DELETE FROM mutes WHERE (user_id, muted_id) IN (${mutesOf(user_id, until)} LIMIT ${limit}) RETURNING muted_id`,
    // A mute has the list of its user.
    sql`DELETE FROM mute_lists WHERE user_id IN (${muteListOf(user_id, until)})
      AND NOT EXISTS (${mutesOf(user_id, until)}) RETURNING user_id`,
    sql`DELETE FROM profiles WHERE user_id IN (${profileOf(user_id, until)}) RETURNING user_id`,
  ]
}

/**
 * The statements that remove the user's id from up to `limit` blocks whose moderator the user is, and put the erasure's mark in its
 * place in as many entries of the audit. The items stay blocked. Blocks made until now are included, because an item that leaves a
 * blocked folder copies the folder's moderator.
 */
export function forgetModerator(
  ctx: Pick<JobContext, 'now_ms'>,
  { user_id, until, mark }: Watermark,
  limit: number,
): SQL[] {
  const blocks = blocksBy(user_id, Math.max(until, seconds(ctx)))
  return [
    sql`UPDATE blocks SET blocked_by = NULL WHERE (kind, id) IN (${blocks} LIMIT ${limit}) RETURNING id`,
    sql`UPDATE audit SET actor = ${mark} WHERE id IN (${entriesBy(user_id, until)} LIMIT ${limit}) RETURNING id`,
    sql`UPDATE audit SET user_id = ${mark}, resource = NULL, reason = NULL
      WHERE id IN (${entriesAbout(user_id, until)} LIMIT ${limit}) RETURNING id`,
    forgetInModeration({ user_id, until, mark }),
  ]
}

/** The statements that remove up to `limit` shares with the user. */
export function removeShares(ctx: EventContext, user_id: string, until: number, limit: number): Statement[] {
  const isSome = sql`id IN (${sharesWith(user_id, until)} LIMIT ${limit})`
  return [
    ...shareRevoked(() => isSome, 'user_erased')(ctx, { now: seconds(ctx) }),
    sql`DELETE FROM shares WHERE ${isSome} RETURNING id`,
  ]
}

/**
 * The statements that remove up to `limit` uploads of assets and queue their objects for deletion. They follow the
 * statements that remove versions, because a version or a variant keeps its upload.
 */
export function removeUploads(ctx: EventContext, user_id: string, until: number, limit: number): Statement[] {
  const isSome = sql`id IN (${assetUploads(user_id, until)} LIMIT ${limit})`
  return [
    ...uploadFailed(() => isSome)(ctx, { reason: 'target_gone' satisfies FailureReason }),
    enqueueDeletion(sql`${isSome} AND state <> 'completed'`, seconds(ctx)),
    sql`DELETE FROM uploads WHERE ${isSome} RETURNING id`,
  ]
}

/**
 * The statements that end an erasure once nothing is left in the home and all hints to shares with the user are finished,
 * and that then delete the usage row if it holds neither a count nor a limit. `forgetUserElsewhere` must be done before.
 * An erasure lasts at least until `until`: during it, new rows have a `created_at` of `until` + 1, on which a second erasure
 * relies.
 */
export function endErasure(ctx: EventContext, user_id: string, until: number): Statement[] {
  const left = [
    ...remainingContent(user_id, until),
    ...remainingTraces(ctx, user_id, until),
    sql`SELECT 1 FROM files WHERE owner_id = ${user_id} AND purging = 1`,
  ]
  const isNothingLeft = joined(
    left.map((rows) => sql`NOT EXISTS (${rows})`),
    ' AND ',
  )
  const isOver = sql`user_id = ${user_id} AND until = ${until} AND until < ${seconds(ctx)} AND inbox_erased = 1
      AND ${isNothingLeft}`
  return [
    deleteEmptied({ owner_id: user_id }),
    ...userErased(isOver)(ctx, { user_id, partition: partitionOf(user_id) }),
    sql`DELETE FROM erasures WHERE ${isOver} RETURNING user_id`,
    sql`DELETE FROM usage WHERE user_id = ${user_id}
      AND (used_bytes, items, assets, versions, public_assets) = (0, 0, 0, 0, 0)
      AND (open_uploads, ended_uploads, idempotency_keys, favorites, mutes, kept_bytes) = (0, 0, 0, 0, 0, 0) AND limit_bytes IS NULL
      AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.user_id = usage.user_id)`,
  ]
}

/** The maker of the event `user.erased`, for the batch that ends the erasure, before its DELETE. */
function userErased(isOver: SQL) {
  return eventWriter('user.erased', (p: Params<'user_id' | 'partition'>) => ({
    resource_id: p.user_id,
    partition: p.partition,
    data: { user_id: p.user_id },
    from: sql`FROM erasures WHERE ${isOver}`,
  }))
}

/** SQL: the rows of each table that the user made by `until`, except items in the trash. */
const contentQueries: Record<ErasedTable<'content'>, (user_id: string, until: number) => SQL> = {
  files: filesAtRoot,
  game_assets: (user_id, until) => sql`${ownAssets(user_id, until)}
    UNION ALL SELECT id FROM game_assets WHERE owner_id = ${user_id} AND created_at <= ${until} AND purging = 1`,
  uploads: assetUploads,
  shares: sharesWith,
  garbage: keptContent,
  idempotency: keysOf,
  profiles: profileOf,
  favorites: favoritesOf,
  mutes: mutesOf,
  mute_lists: muteListOf,
}

/** SQL: queries that find content which an erasure has yet to remove, except items in the trash. */
export function remainingContent(user_id: string, until: number): SQL[] {
  return Object.values(contentQueries).map((find) => find(user_id, until))
}

/** SQL: queries that find other rows with the user's id. */
function remainingTraces(ctx: EventContext, user_id: string, until: number): SQL[] {
  const traces: Record<ErasedTable<'trace'>, SQL[]> = {
    outbox: parkedOf(ctx, user_id, until),
    blocks: [blocksBy(user_id, Math.max(until, seconds(ctx)))],
    trash_emptied: [sql`SELECT 1 FROM trash_emptied WHERE owner_id = ${user_id}`],
    share_hints: [sql`SELECT 1 FROM share_hints WHERE ${isUnerasedHint(user_id, until)}`],
  }
  return [
    ...Object.values(traces).flat(),
    entriesBy(user_id, until),
    entriesAbout(user_id, until),
    sql`SELECT 1 WHERE ${isKnownToModeration(user_id, until)}`,
    mutesNaming(user_id, until),
  ]
}

/** The statement that ends an erasure where the user is a guest, once no share with the user is left there. */
export function endGuest(user_id: string, until: number, now: number): SQL {
  return sql`DELETE FROM erasures WHERE user_id = ${user_id} AND until = ${until} AND until < ${now} AND is_guest = 1
    AND NOT EXISTS (${sharesWith(user_id, until)}) RETURNING user_id`
}

/** SQL: the ids of the user's items at the root level that are not in the trash. */
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

/** SQL: the ids of the user's uploads of assets, except those whose version or variant still exists. */
function assetUploads(user_id: string, until: number): SQL {
  return sql`SELECT id FROM uploads INDEXED BY uploads_of_assets
    WHERE owner_id = ${user_id} AND created_at <= ${until} AND upload_type = 'game_asset'
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE asset_versions.id = uploads.completion_id)
      AND NOT EXISTS (SELECT 1 FROM asset_variants AS made
        WHERE made.asset_id = uploads.asset_id AND made.version = uploads.version AND made.platform = uploads.platform)`
}

/** SQL: the user's idempotency keys. */
function keysOf(user_id: string, until: number): SQL {
  return sql`SELECT caller_id, key FROM idempotency WHERE caller_id = ${user_id} AND created_at <= ${until}`
}

/** SQL: the user's favorites. */
function favoritesOf(user_id: string, until: number): SQL {
  return sql`SELECT user_id, asset_id FROM favorites WHERE user_id = ${user_id} AND created_at <= ${until}`
}

/** SQL: the user's mutes. */
function mutesOf(user_id: string, until: number): SQL {
  return sql`SELECT user_id, muted_id FROM mutes WHERE user_id = ${user_id} AND created_at <= ${until}`
}

/** SQL: the user's id, if the user has muted anybody. */
function muteListOf(user_id: string, until: number): SQL {
  return sql`SELECT user_id FROM mute_lists WHERE user_id = ${user_id} AND changed_at <= ${until}`
}

/** SQL: the user's id, if the user has chosen a profile picture. */
function profileOf(user_id: string, until: number): SQL {
  return sql`SELECT user_id FROM profiles WHERE user_id = ${user_id} AND updated_at <= ${until}`
}

/** SQL: the keys of content that the user deleted permanently and that is retained for a while. */
function keptContent(user_id: string, until: number): SQL {
  return sql`SELECT object_key FROM garbage WHERE kept_for = ${user_id} AND enqueued_at <= ${until}`
}

/** SQL: the keys of the blocks whose moderator the user is, made until `until`. */
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

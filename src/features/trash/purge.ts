import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { assetTypes } from '../../platform/db/enumerations.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments, type Params, type Prepared, statement } from '../../platform/db/sql.ts'
import { type EventContext, eventWriter } from '../../platform/events/record.ts'
import { childIds, hasChildren, isBlocked } from '../files/path.ts'
import { contentDeletion } from '../files/row.ts'
import { shareRevoked } from '../shares/events.ts'
import { uploadFailed } from '../uploads/events.ts'
import { enqueueDeletion } from '../uploads/transitions.ts'
import { trashedUpdate, updateTrashed } from './restore.ts'

/** The most rows of each kind that a request marks or removes itself; the job does the rest. */
export const ROWS_PER_REQUEST = 64
/** The most levels of folders that a request removes itself. */
const LEVELS_PER_REQUEST = 3

const markPurging = statement((p: Params<'id' | 'user_id' | 'now_ms'>) =>
  trashedUpdate(p, {
    purging: 1,
    trashed_at: sql`coalesce(trashed_at, ${p.now_ms})`,
    blocked: isBlocked(p.id),
    revision: sql`revision + 1`,
  }),
)

/**
 * Deletes an item of the trash permanently, with everything below it except what was deleted before it
 * (docs/conformance.md#trash). From then on no answer shows any of it. The first rows are removed at once, the rest by
 * the job.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export async function purgeFile(ctx: RequestContext, id: string): Promise<void> {
  const { db, user_id, now_ms } = ctx
  await updateTrashed(ctx, id, markPurging({ id, user_id, now_ms }))
  await db.write(purgeFirstRows(ctx, user_id))
}

/** SQL: marks deleted items to be purged. `ids` is a SELECT of their ids. Answers the ids. */
export function setPurging(ids: SQL): SQL<{ id: string }> {
  const marks = { purging: 1 as const, revision: sql`revision + 1`, blocked: isBlocked(sql`files.id`) }
  return sql`UPDATE files SET ${assignments(files, marks)} WHERE id IN (${ids}) RETURNING id`
}

/** The statements by which a request removes the first marked items of a user. */
export function purgeFirstRows(ctx: EventContext, owner_id: string): Prepared[] {
  return Array.from({ length: LEVELS_PER_REQUEST }, () => purgeMarked(ctx, owner_id, ROWS_PER_REQUEST)).flat(
    2,
  )
}

/**
 * The batches that purge up to `limit` marked items of a user. First the folders in marked folders are marked too, so the
 * next step finds them. Then files are removed, and folders without children. An item that was deleted by itself has its
 * own place in the trash and stays.
 */
export function purgeMarked(ctx: EventContext, owner_id: string, limit: number): Prepared[][] {
  const values = { owner_id, limit, now_ms: ctx.now_ms, now: seconds(ctx) }
  return [
    [markFolders(values)],
    [blockKept(values)],
    ...removeFilesInside(ctx, values),
    ...removeEmptyFolders(ctx, values),
  ]
}

/** The parameters of a step that purges marked items. */
type PurgeParams = Params<'owner_id' | 'limit' | 'now_ms' | 'now'>

/** SQL: a SELECT of the marked items. */
const marked = (p: PurgeParams) =>
  sql`SELECT id, owner_id, blocked FROM files WHERE purging = 1 AND owner_id = ${p.owner_id} LIMIT ${p.limit}`

/** SQL: a SELECT of the ids of items of these types in marked folders. */
const childrenOf = (p: PurgeParams, types: readonly string[]) =>
  sql`${childIds(
    sql`(${marked(p)}) AS folder`,
    sql`child.owner_id = folder.owner_id AND child.parent_id = folder.id AND child.asset_type IN ${types}`,
  )} LIMIT ${p.limit}`

/** The statement that marks folders in marked folders. */
const markFolders = statement((p: PurgeParams) => {
  const marks = {
    purging: 1 as const,
    trashed_at: p.now_ms,
    blocked: sql`max(blocked, (SELECT above.blocked FROM files AS above WHERE above.id = files.parent_id))`,
  }
  return sql`UPDATE files SET ${assignments(files, marks)} WHERE id IN (${childrenOf(p, ['folder'])}) RETURNING id`
})

/** SQL: whether `kept`, an item in a marked folder, was deleted by itself and has no block of its own. */
const isKeptUnblocked = sql`kept.trashed_at IS NOT NULL AND kept.purging = 0 AND kept.blocked = 0`

/**
 * The statement that blocks up to `limit` items that were deleted by themselves in blocked folders, so that purging such a
 * folder never undoes a moderator's block.
 */
const blockKept = statement(
  (p: PurgeParams) => sql`UPDATE files SET blocked = 1, revision = revision + 1 WHERE id IN (
      SELECT kept.id FROM (SELECT id FROM (${marked(p)}) WHERE blocked = 1) AS folder
      CROSS JOIN files AS kept INDEXED BY files_trashed_inside
      WHERE kept.parent_id = folder.id AND ${isKeptUnblocked} LIMIT ${p.limit}
    ) RETURNING id`,
)

const removeFilesInside = removalOf((p) =>
  childrenOf(
    p,
    assetTypes.filter((type) => type !== 'folder'),
  ),
)
/** Of the marked folders, those without children, and without items that `blockKept` has still to block. */
const removeEmptyFolders = removalOf(
  (p) => sql`SELECT marked.id FROM (${marked(p)}) AS marked
    WHERE NOT (marked.blocked = 1 AND EXISTS (
      SELECT 1 FROM files AS kept INDEXED BY files_trashed_inside WHERE kept.parent_id = marked.id AND ${isKeptUnblocked}
    )) AND NOT ${hasChildren(sql`marked.owner_id`, sql`marked.id`)}`,
)

/**
 * The maker of the batches that remove items with their shares and uploads, and queue their objects for deletion. Rows go
 * before objects: a crash leaves work for the job, never a row without its content. `candidates` is a SELECT of ids. An item
 * is removed once its shares, failed uploads and replaced uploads are. One step removes up to `limit` rows of each.
 */
function removalOf(candidates: (p: PurgeParams) => SQL) {
  const isEnded = sql`(uploads.state = 'failed' OR (uploads.state = 'completed' AND uploads.id <> files.object_key))`
  const ids = (p: PurgeParams) => sql`SELECT id FROM files WHERE id IN (${candidates(p)}) AND share_count = 0
    AND NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.file_id = files.id AND ${isEnded})`
  const isShare = (p: PurgeParams) => sql`id IN (
      SELECT shares.id FROM (${candidates(p)}) AS file CROSS JOIN shares
      WHERE shares.file_id = file.id LIMIT ${p.limit}
    )`
  const isGone = (p: PurgeParams) => sql`id IN (${ids(p)})`
  const isOfGone = (p: PurgeParams) => sql`file_id IN (${ids(p)})`
  const revoked = shareRevoked(isShare, 'file_purged')
  const deleteShares = statement((p: PurgeParams) => sql`DELETE FROM shares WHERE ${isShare(p)} RETURNING id`)
  const deleteEnded = statement(
    (p: PurgeParams) => sql`DELETE FROM uploads WHERE id IN (
        SELECT uploads.id FROM files CROSS JOIN uploads ON uploads.file_id = files.id
        WHERE files.id IN (${candidates(p)}) AND ${isEnded} LIMIT ${p.limit}
      ) RETURNING id`,
  )
  const failed = uploadFailed(isOfGone)
  const purged = eventWriter('file.purged', (p: PurgeParams) => ({
    resource_id: sql`id`,
    data: {
      file_id: sql`id`,
      owner_id: sql`owner_id`,
      asset_type: sql`asset_type`,
      size_bytes: sql`size_bytes`,
    },
    from: sql`FROM files WHERE ${isGone(p)}`,
  }))
  const enqueueContent = contentDeletion(isGone)
  const enqueueUploads = statement((p: PurgeParams) =>
    enqueueDeletion(sql`${isOfGone(p)} AND state <> 'completed'`, p.now),
  )
  const deleteUploads = statement((p: PurgeParams) => sql`DELETE FROM uploads WHERE ${isOfGone(p)}`)
  const deleteFiles = statement((p: PurgeParams) => sql`DELETE FROM files WHERE ${isGone(p)} RETURNING id`)
  return (ctx: EventContext, values: { [Name in keyof PurgeParams]: string | number }): Prepared[][] => [
    [...revoked(ctx, values), deleteShares(values)],
    [deleteEnded(values)],
    [
      ...failed(ctx, { ...values, reason: 'target_gone' }),
      ...purged(ctx, values),
      enqueueContent(ctx, values),
      enqueueUploads(values),
      deleteUploads(values),
      deleteFiles(values),
    ],
  ]
}

import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { assetTypes } from '../../platform/db/enumerations.ts'
import { files } from '../../platform/db/schema.ts'
import type { Statement } from '../../platform/db/session.ts'
import { assignments, type Prepared } from '../../platform/db/sql.ts'
import { type EventContext, eventStatement } from '../../platform/events/record.ts'
import { contentDeletion } from '../files/row.ts'
import { isBlocked } from '../files/tree/visibility.ts'
import { childIds, hasChildren } from '../files/tree/walk.ts'
import { sharesRevoked } from '../shares/events.ts'
import { uploadFailed } from '../uploads/events.ts'
import { enqueueDeletion } from '../uploads/transitions.ts'
import { updateTrashed } from './update.ts'

/** The most rows of each kind that a request marks or removes itself; the job does the rest. */
export const ROWS_PER_REQUEST = 64
/** The most levels of folders that a request removes itself. */
const LEVELS_PER_REQUEST = 3

/**
 * Deletes an item of the trash permanently, with everything below it except what was deleted before it
 * (docs/conformance.md#files). From then on no answer shows any of it. The first rows are removed at once, the rest by
 * the job.
 *
 * @throws FILE_NOT_FOUND, FILE_NOT_TRASHED
 */
export async function purgeFile(ctx: RequestContext, id: string): Promise<void> {
  const { db, user_id, now_ms } = ctx
  const marks = {
    purging: 1 as const,
    trashed_at: sql`coalesce(trashed_at, ${now_ms})`,
    blocked: isBlocked(id),
    revision: sql`revision + 1`,
  }
  await updateTrashed(ctx, id, assignments(files, marks))
  await db.write(purgeFirstRows(ctx, user_id))
}

/** The statement that marks deleted items to be purged. `ids` is a SELECT of their ids. Answers the ids. */
export function markItemsPurging(ids: SQL): SQL<{ id: string }> {
  const marks = { purging: 1 as const, revision: sql`revision + 1`, blocked: isBlocked(sql`files.id`) }
  return sql`UPDATE files SET ${assignments(files, marks)} WHERE id IN (${ids}) RETURNING id`
}

/** The statements by which a request removes the first marked items of a user. */
export function purgeFirstRows(ctx: EventContext, owner_id: string): Statement[] {
  return Array.from({ length: LEVELS_PER_REQUEST }, () => purgeMarked(ctx, owner_id, ROWS_PER_REQUEST)).flat(
    2,
  )
}

/**
 * The batches that purge up to `limit` marked items of a user. First the folders in marked folders are marked too, so the
 * next step finds them. Then files are removed, and folders without children. An item that was deleted by itself has its
 * own place in the trash and stays.
 */
export function purgeMarked(ctx: EventContext, owner_id: string, limit: number): Statement[][] {
  const marked = sql`SELECT id, owner_id, blocked FROM files WHERE purging = 1 AND owner_id = ${owner_id} LIMIT ${limit}`
  const childrenOf = (types: readonly string[]) =>
    sql`${childIds(
      sql`(${marked}) AS folder`,
      sql`child.owner_id = folder.owner_id AND child.parent_id = folder.id AND child.asset_type IN ${types}`,
    )} LIMIT ${limit}`
  return [
    [markFolders(ctx, childrenOf(['folder']))],
    [blockKept(marked, limit)],
    ...removeFiles(ctx, childrenOf(assetTypes.filter((type) => type !== 'folder')), limit),
    ...removeFiles(ctx, emptyFolders(marked), limit),
  ]
}

/** The statement that marks folders in marked folders. `ids` is a SELECT of their ids. */
function markFolders({ now_ms }: EventContext, ids: SQL): SQL {
  const marks = {
    purging: 1 as const,
    trashed_at: now_ms,
    blocked: sql`max(blocked, (SELECT above.blocked FROM files AS above WHERE above.id = files.parent_id))`,
  }
  return sql`UPDATE files SET ${assignments(files, marks)} WHERE id IN (${ids}) RETURNING id`
}

/** SQL: whether `kept`, an item in a marked folder, was deleted by itself and has no block of its own. */
const isKeptUnblocked = sql`kept.trashed_at IS NOT NULL AND kept.purging = 0 AND kept.blocked = 0`

/**
 * The statement that blocks up to `limit` items that were deleted by themselves in blocked folders, so that purging such a
 * folder never undoes a moderator's block. `marked` is a SELECT of the marked items.
 */
function blockKept(marked: SQL, limit: number): SQL {
  return sql`UPDATE files SET ${assignments(files, { blocked: 1, revision: sql`revision + 1` })} WHERE id IN (
      SELECT kept.id FROM (SELECT id FROM (${marked}) WHERE blocked = 1) AS folder
      CROSS JOIN files AS kept INDEXED BY files_trashed_inside
      WHERE kept.parent_id = folder.id AND ${isKeptUnblocked} LIMIT ${limit}
    ) RETURNING id`
}

/** SQL: a SELECT of the ids of the marked folders without children, and without items that `blockKept` has still to block. */
function emptyFolders(marked: SQL): SQL {
  return sql`SELECT marked.id FROM (${marked}) AS marked
    WHERE NOT (marked.blocked = 1 AND EXISTS (
      SELECT 1 FROM files AS kept INDEXED BY files_trashed_inside WHERE kept.parent_id = marked.id AND ${isKeptUnblocked}
    )) AND NOT ${hasChildren(sql`marked.owner_id`, sql`marked.id`)}`
}

/**
 * The batches that remove items with their shares and uploads, and queue their objects for deletion. Rows go before
 * objects: a crash leaves work for the job, never a row without its content. `candidates` is a SELECT of ids. An item is
 * removed once its shares, failed uploads and replaced uploads are. One step removes up to `limit` rows of each.
 */
function removeFiles(ctx: EventContext, candidates: SQL, limit: number): Statement[][] {
  const isEnded = sql`(uploads.state = 'failed' OR (uploads.state = 'completed' AND uploads.id <> files.object_key))`
  const ids = sql`SELECT id FROM files WHERE id IN (${candidates}) AND share_count = 0
    AND NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.file_id = files.id AND ${isEnded})`
  const isShare = sql`id IN (
      SELECT shares.id FROM (${candidates}) AS file CROSS JOIN shares
      WHERE shares.file_id = file.id LIMIT ${limit}
    )`
  return [
    [
      ...sharesRevoked(() => isShare, 'file_purged')(ctx, { now: seconds(ctx) }),
      sql`DELETE FROM shares WHERE ${isShare} RETURNING id`,
    ],
    [
      sql`DELETE FROM uploads WHERE id IN (
          SELECT uploads.id FROM files CROSS JOIN uploads ON uploads.file_id = files.id
          WHERE files.id IN (${candidates}) AND ${isEnded} LIMIT ${limit}
        ) RETURNING id`,
    ],
    [
      ...uploadFailed(ctx, sql`file_id IN (${ids})`, 'target_gone'),
      ...filesPurged(ctx, sql`id IN (${ids})`),
      contentDeletion(() => sql`id IN (${ids})`)(ctx, {}),
      enqueueDeletion(sql`file_id IN (${ids}) AND state <> 'completed'`, seconds(ctx)),
      sql`DELETE FROM uploads WHERE file_id IN (${ids})`,
      sql`DELETE FROM files WHERE id IN (${ids}) RETURNING id`,
    ],
  ]
}

/** The statement that writes the events of purged items. It precedes the statement that removes them. */
function filesPurged(ctx: EventContext, which: SQL): Prepared[] {
  return eventStatement(ctx, 'file.purged', () => ({
    resource_id: sql`id`,
    data: {
      file_id: sql`id`,
      owner_id: sql`owner_id`,
      asset_type: sql`asset_type`,
      size_bytes: sql`size_bytes`,
    },
    from: sql`FROM files WHERE ${which}`,
  }))
}

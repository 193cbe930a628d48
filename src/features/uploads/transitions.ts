import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { uploads } from '../../platform/db/schema.ts'
import type { Statement } from '../../platform/db/session.ts'
import { assignments, type Values } from '../../platform/db/sql.ts'
import { ApiError, type ErrorCode } from '../../platform/errors.ts'
import { tryDelete } from '../../platform/storage/delete.ts'
import { orDuplicate } from '../assets/name.ts'
import { writeAsset } from '../catalogue/write.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { failureOf, uploadCompleted, uploadFailed } from './events.ts'
import { enqueueDeletion, isOpen, isWaiting, uploadExists } from './lifecycle.ts'
import { partColumns } from './multipart.ts'
import { foundUpload, type UploadAndTarget, type UploadRow, uploadAndTarget } from './row.ts'

/*
 * The transitions of an upload. Each is one batch whose every statement repeats the state that it starts from.
 *
 *   open → completing       a completion reads the object (markCompleting)
 *   completing → open       the completion has found no object (reopen)
 *   open, completing → completed | failed       (markCompleted, markFailed)
 *   open, completing, failed → no row       (abortUpload)
 *   open, completing → no row       after `expires_at` (expire)
 *
 * `completing` is not a lock: every rule treats it as open. An upload whose content is checked stays `completing` while
 * its `check_state` is `waiting` (src/features/uploads/begin-check.ts): then only a verdict completes the upload, and the
 * upload does not expire.
 */

/** Marks an open upload as completing and its pending file as processing. Returns the rows; undefined for an unknown upload. */
export async function markCompleting(ctx: RequestContext, id: string): Promise<UploadAndTarget | undefined> {
  const { db, user_id } = ctx
  const rows = await db.write({
    completing: sql`UPDATE uploads SET state = 'completing'
      WHERE id = ${id} AND owner_id = ${user_id} AND state = 'open' AND expires_at > ${seconds(ctx)} AND ${isNotErased}`,
    processing: sql`UPDATE files SET processing_state = 'processing', revision = revision + 1
      WHERE processing_state = 'pending'
        AND id = (SELECT file_id FROM uploads WHERE ${isCompleting(id, user_id)})`,
    ...uploadAndTarget(id, user_id),
  })
  return foundUpload(rows)
}

/**
 * Reverts `completing` to `open` and the file to `pending`, unless the content is being checked. Returns the rows; undefined
 * for an unknown upload.
 */
export async function reopen(
  { db, user_id }: RequestContext,
  id: string,
): Promise<UploadAndTarget | undefined> {
  const isUnchecked = sql`${isCompleting(id, user_id)} AND check_state IS NULL`
  const rows = await db.write({
    pending: sql`UPDATE files SET processing_state = 'pending', revision = revision + 1
      WHERE processing_state = 'processing' AND id = (SELECT file_id FROM uploads WHERE ${isUnchecked})`,
    reopened: sql`UPDATE uploads SET state = 'open' WHERE ${isUnchecked}`,
    ...uploadAndTarget(id, user_id),
  })
  return foundUpload(rows)
}

function isCompleting(id: string, owner_id: string): SQL {
  return sql`id = ${id} AND owner_id = ${owner_id} AND state = 'completing'`
}

/** The values of the columns that only an open upload needs, and that may be long. */
const cleared = { ...partColumns([]), expected_revisions: null, notes: null, page: null }

/** The columns that a verdict writes. A transition by a verdict requires that the content waits for the verdict. */
interface Verdict {
  check_state: 'ready' | 'failed'
  check_next_at: null
}

/**
 * Marks an open upload and its unfinished file as failed, and deletes its object. Returns the rows.
 *
 * @throws UPLOAD_NOT_FOUND
 */
export async function markFailed(
  ctx: RequestContext,
  id: string,
  failure_code: ErrorCode,
  failure: string,
  verdict?: Verdict,
): Promise<UploadAndTarget> {
  const { db, user_id } = ctx
  const changes = { state: 'failed', failure_code, failure, ...cleared, ...verdict } as const
  const isDue = verdict ? isWaiting : sql`true`
  const hasFailed = sql`id = ${id} AND owner_id = ${user_id} AND state = 'failed'`
  const rows = await db.write({
    events: uploadFailed(ctx, sql`${isOpen(id, user_id)} AND ${isDue}`, failureOf(failure_code)),
    failed: sql`UPDATE uploads SET ${assignments(uploads, changes)} WHERE ${isOpen(id, user_id)} AND ${isDue}`,
    failed_file: sql`UPDATE files SET processing_state = 'failed', revision = revision + 1
      WHERE processing_state IN ('pending', 'processing') AND id = (SELECT file_id FROM uploads WHERE ${hasFailed})`,
    object: enqueueDeletion(hasFailed, seconds(ctx)),
    ...uploadAndTarget(id, user_id),
  })
  const found = orNotFound(foundUpload(rows))
  const { state, multipart_id } = found.upload
  if (state === 'failed') await tryDelete(ctx, { object_key: id, multipart_id })
  return found
}

/** What a completion makes of an upload's object. */
export interface NewContent {
  /** SQL: whether a row of `uploads` can be completed. The statement that completes the upload carries this condition. */
  condition: SQL
  /** The asset that gets the content. */
  asset_id?: string
  /** The columns of the upload's row that name the content. */
  columns: Partial<Values<typeof uploads>>
  /** The statements that write the content, on condition that the upload's row has the id of this completion. */
  statements: (completion_id: string) => Statement[]
}

/**
 * Marks an open upload as completed, with its content. The first statement carries every condition and writes the id of
 * this completion. The others require that id, because another completion may have ended the upload before. The bytes
 * move from the reservation to the content, so no limit on bytes is checked again. Only a verdict completes content that
 * waits for one. Returns the rows.
 *
 * @throws UPLOAD_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (assets, public_assets, all_versions)
 */
export async function markCompleted(
  ctx: RequestContext,
  id: string,
  content: NewContent,
  verdict?: Verdict,
): Promise<UploadAndTarget> {
  const completion_id = newId(ctx.user_id)
  const changes = { state: 'completed', completion_id, ...cleared, ...content.columns, ...verdict } as const
  const isDue = verdict ? isWaiting : sql`NOT ${isWaiting}`
  const { asset_id } = content
  const statements = {
    usage: ensureUsageRow(ctx),
    completed: sql`UPDATE uploads SET ${assignments(uploads, changes)}
      WHERE ${isOpen(id, ctx.user_id)} AND ${isDue} AND ${content.condition}`,
    content: content.statements(completion_id),
    events: uploadCompleted(ctx, sql`id = ${id} AND completion_id = ${completion_id}`),
    ...uploadAndTarget(id, ctx.user_id),
  }
  const rows = await orDuplicate(
    asset_id === undefined ? ctx.db.write(statements) : writeAsset(ctx, ctx.db, statements, { asset_id }),
  )
  return orNotFound(foundUpload(rows))
}

/**
 * Removes an upload that is not completed, with its reservation and its unfinished file, and deletes its object, even one
 * that a PUT under way creates later (docs/conformance.md#uploads). A file whose content was to be replaced stays.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_COMPLETED
 */
export async function abortUpload(ctx: RequestContext, id: string): Promise<void> {
  const { db, user_id } = ctx
  const isAbortable = sql`id = ${id} AND owner_id = ${user_id} AND state <> 'completed' AND ${uploadExists}`
  const {
    aborted: [aborted],
    left: [left],
  } = await db.write({
    events: uploadFailed(ctx, isAbortable, 'aborted'),
    object: enqueueDeletion(isAbortable, seconds(ctx)),
    file: sql`DELETE FROM files WHERE id = (SELECT file_id FROM uploads WHERE ${isAbortable} AND replaces = 0)
      AND processing_state IN ('pending', 'processing', 'failed') AND object_key IS NULL
      AND NOT EXISTS (SELECT 1 FROM uploads AS other WHERE other.file_id = files.id AND other.id <> ${id})`,
    aborted: sql<
      Pick<UploadRow, 'multipart_id'>
    >`DELETE FROM uploads WHERE ${isAbortable} RETURNING multipart_id`,
    left: sql`SELECT state FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND ${uploadExists}`,
  })
  if (!aborted) throw new ApiError(left ? 'UPLOAD_COMPLETED' : 'UPLOAD_NOT_FOUND')
  await tryDelete(ctx, { object_key: id, multipart_id: aborted.multipart_id })
}

/**
 * Removes up to BATCH_SIZE of the uploads that `due` (SQL) selects, as aborting them would. `due` selects only open uploads
 * that have expired. Returns how many.
 */
export async function expire(ctx: JobContext, due: SQL): Promise<number> {
  const expired = sql`SELECT id FROM uploads WHERE ${due} ORDER BY expires_at, id LIMIT ${BATCH_SIZE}`
  const { ended } = await ctx.db.write({
    events: uploadFailed(ctx, sql`id IN (${expired})`, 'expired'),
    objects: enqueueDeletion(sql`id IN (${expired})`, seconds(ctx)),
    files: sql`DELETE FROM files WHERE id IN (SELECT file_id FROM uploads WHERE id IN (${expired}) AND replaces = 0)
      AND processing_state IN ('pending', 'processing') AND object_key IS NULL`,
    ended: sql`DELETE FROM uploads WHERE id IN (${expired}) RETURNING id`,
  })
  return ended.length
}

function orNotFound(found: UploadAndTarget | undefined): UploadAndTarget {
  if (!found) throw new ApiError('UPLOAD_NOT_FOUND')
  return found
}

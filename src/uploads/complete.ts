import sql from 'sql-template-tag'
import { ApiError } from '../errors.ts'
import { notGone } from '../files/path.ts'
import type { FileRow } from '../files/record.ts'
import { seconds, type Work } from '../http/context.ts'
import { discard } from '../storage/discard.ts'
import { refuseExpired } from './read.ts'
import { isOpen, type UploadOfFile, type UploadRow, uploadAndFile, uploadAndPresentFile } from './record.ts'
import { verifyObject } from './verify.ts'

/**
 * Checks what has arrived against what was declared, and makes it the file's content (decisions, "Uploads").
 * Two trips: the first notes that completion is under way and reads the upload, the second writes the outcome in
 * one batch whose every statement repeats the state. Calling it again, also after a crash in between or at the
 * same time, comes to the same end and the same answer.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED, UPLOAD_INCOMPLETE, UPLOAD_MISMATCH
 */
export async function completeUpload(work: Work, id: string): Promise<UploadOfFile> {
  const begun = await begin(work, id)
  if (begun.upload.state === 'completed') return begun
  refuseFailed(begun.upload)
  refuseExpired(begun.upload, work)

  const verdict = await verifyObject(work.bucket, begun.upload, begun.file.asset_type)
  if (verdict.verdict === 'missing') {
    await stayOpen(work, id)
    throw new ApiError('UPLOAD_INCOMPLETE', {
      detail: 'Send the content to the upload’s url, then complete it again.',
    })
  }
  const ended =
    verdict.verdict === 'mismatch' ? await fail(work, id, verdict.failure) : await succeed(work, id)
  refuseFailed(ended.upload)
  return ended
}

async function begin(work: Work, id: string): Promise<UploadOfFile> {
  const { db, user_id } = work
  const [, , [upload], [file]] = await db.batch<[never, never, UploadRow, FileRow]>([
    sql`UPDATE uploads SET state = 'completing'
      WHERE id = ${id} AND owner_id = ${user_id} AND state = 'open' AND expires_at > ${seconds(work)}`,
    sql`UPDATE files SET processing_state = 'processing', revision = revision + 1
      WHERE processing_state = 'pending'
        AND id = (SELECT file_id FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND state = 'completing')`,
    ...uploadAndPresentFile(id, user_id),
  ])
  return orNotFound(upload, file)
}

/** Nothing has arrived: takes the note back, so that the file shows as pending again. */
async function stayOpen({ db, user_id }: Work, id: string): Promise<void> {
  await db.batch([
    sql`UPDATE files SET processing_state = 'pending', revision = revision + 1
      WHERE processing_state = 'processing'
        AND id = (SELECT file_id FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND state = 'completing')`,
    sql`UPDATE uploads SET state = 'open' WHERE id = ${id} AND owner_id = ${user_id} AND state = 'completing'`,
  ])
}

/**
 * The second statement does nothing unless the first has just ended the upload: another completion may have done
 * so long ago. The bytes move with them (migration 0003): no limit is asked again about what was let in.
 */
async function succeed(work: Work, id: string): Promise<UploadOfFile> {
  const { db, user_id } = work
  const [, , [upload], [file]] = await db.batch<[never, never, UploadRow, FileRow]>([
    sql`UPDATE uploads SET state = 'completed'
      WHERE ${isOpen(id, user_id)} AND ${notGone(sql`uploads.file_id`)}`,
    sql`UPDATE files SET
        (size_bytes, mime_type, object_key) = (SELECT size_bytes, mime_type, id FROM uploads WHERE id = ${id}),
        processing_state = 'ready', revision = revision + 1, updated_at = ${seconds(work)}
      WHERE changes() > 0 AND id = (SELECT file_id FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND state = 'completed')`,
    ...uploadAndFile(id, user_id),
  ])
  return orNotFound(upload, file)
}

/** Ends the upload and what it would have made, and gives up its object. */
async function fail(work: Work, id: string, failure: string): Promise<UploadOfFile> {
  const { db, bucket, user_id } = work
  const [, , , [upload], [file]] = await db.batch<[never, never, never, UploadRow, FileRow]>([
    sql`UPDATE uploads SET state = 'failed', failure = ${failure} WHERE ${isOpen(id, user_id)}`,
    sql`UPDATE files SET processing_state = 'failed', revision = revision + 1
      WHERE processing_state IN ('pending', 'processing')
        AND id = (SELECT file_id FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND state = 'failed')`,
    sql`INSERT INTO garbage (object_key, writable_until)
      SELECT id, expires_at FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND state = 'failed'
      ON CONFLICT (object_key) DO NOTHING`,
    ...uploadAndFile(id, user_id),
  ])
  if (upload?.state === 'failed') await discard(bucket, id)
  return orNotFound(upload, file)
}

function orNotFound(upload: UploadRow | undefined, file: FileRow | undefined): UploadOfFile {
  if (!upload || !file) throw new ApiError('UPLOAD_NOT_FOUND')
  return { upload, file }
}

function refuseFailed({ state, failure }: UploadRow): void {
  if (state === 'failed') throw new ApiError('UPLOAD_MISMATCH', { detail: `${failure} Start a new upload.` })
}

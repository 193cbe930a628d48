import sql from 'sql-template-tag'
import { ApiError } from '../errors.ts'
import type { Work } from '../http/context.ts'
import { discard } from '../storage/discard.ts'
import type { UploadRow } from './record.ts'

/**
 * Ends an upload for good: the upload, its reservation and its unfinished file are gone, and its object is
 * garbage from then on, also one that a PUT under way creates later (decisions, "Uploads").
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_COMPLETED
 */
export async function abortUpload(work: Work, id: string): Promise<void> {
  const { db, user_id } = work
  const ofCaller = sql`id = ${id} AND owner_id = ${user_id} AND state <> 'completed'`
  const [, , aborted, [left]] = await db.batch<[never, never, { id: string }, Pick<UploadRow, 'state'>]>([
    sql`INSERT INTO garbage (object_key, writable_until)
        SELECT id, expires_at FROM uploads WHERE ${ofCaller}
        ON CONFLICT (object_key) DO NOTHING`,
    sql`DELETE FROM files WHERE id = (SELECT file_id FROM uploads WHERE ${ofCaller})
        AND processing_state IN ('pending', 'processing', 'failed') AND object_key IS NULL`,
    sql`DELETE FROM uploads WHERE ${ofCaller} RETURNING id`,
    sql`SELECT state FROM uploads WHERE id = ${id} AND owner_id = ${user_id}`,
  ])
  if (aborted.length === 0) throw new ApiError(left ? 'UPLOAD_COMPLETED' : 'UPLOAD_NOT_FOUND')
  await discard(work.bucket, id)
}

import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { ApiError } from '../errors.ts'
import { tryDelete } from '../storage/delete.ts'
import { enqueueDeletion } from '../storage/garbage.ts'
import { targetIsThere, type UploadRow } from './record.ts'

/**
 * Ends an upload for good: the upload, its reservation and the file that it was to bring are gone, and its object is
 * garbage from then on, also one that a PUT under way creates later (decisions, "Uploads"). A file whose content it
 * was to replace stays as it is.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_COMPLETED
 */
export async function abortUpload(ctx: RequestContext, id: string): Promise<void> {
  const { db, user_id } = ctx
  const ofCaller = sql`id = ${id} AND owner_id = ${user_id} AND state <> 'completed' AND ${targetIsThere}`
  const {
    aborted: [aborted],
    left: [left],
  } = await db.batch({
    object: enqueueDeletion(ofCaller, seconds(ctx)),
    file: sql`DELETE FROM files WHERE id = (SELECT file_id FROM uploads WHERE ${ofCaller} AND replaces = 0)
      AND processing_state IN ('pending', 'processing', 'failed') AND object_key IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM uploads AS other WHERE other.file_id = files.id AND other.id <> ${id}
      )`,
    aborted: sql<
      Pick<UploadRow, 'multipart_id'>
    >`DELETE FROM uploads WHERE ${ofCaller} RETURNING multipart_id`,
    left: sql`SELECT state FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND ${targetIsThere}`,
  })
  if (!aborted) throw new ApiError(left ? 'UPLOAD_COMPLETED' : 'UPLOAD_NOT_FOUND')
  await tryDelete(ctx, { object_key: id, multipart_id: aborted.multipart_id })
}

import type { StorageContext } from '../context.ts'
import type { garbage } from '../db/schema.ts'
import { logWarning } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'
import { r2Code, r2Codes } from './errors.ts'

/** An object in `garbage`, and the multipart upload that was to become it. */
export type Deletion = Pick<typeof garbage.$inferSelect, 'object_key' | 'multipart_id'>

/**
 * Deletes an object whose key is in `garbage`. A failure is only logged: the job deletes the object too, also when a PUT that
 * is under way creates it again. With JOB=off the object stays until the job is on: an operator may restore a database that
 * still refers to it.
 */
export async function tryDelete(ctx: StorageContext, deletion: Deletion): Promise<void> {
  if (ctx.config.JOB === 'off') return
  const { object_key } = deletion
  try {
    await abortMultipart(ctx, deletion)
    await withTimeout(ctx.config.CALL_TIMEOUT_MS, ctx.bucket.delete(object_key))
  } catch (error) {
    logWarning('object left to the scheduled job', { object_key, error: String(error) })
  }
}

/**
 * Aborts the multipart upload, if there is one: R2 deletes its parts. Succeeds when the upload has been completed or aborted
 * before.
 */
export async function abortMultipart(
  { bucket, config }: StorageContext,
  { object_key, multipart_id }: Deletion,
): Promise<void> {
  if (multipart_id === null) return
  try {
    await withTimeout(config.CALL_TIMEOUT_MS, bucket.resumeMultipartUpload(object_key, multipart_id).abort())
  } catch (error) {
    if (r2Code(error) !== r2Codes.noSuchUpload) throw error
  }
}

import type { StorageContext } from '../context.ts'
import { withTimeout } from '../lib/timeout.ts'
import { r2Code, r2Codes } from './errors.ts'

/** An object on the garbage list, and the multipart upload that was to become it. */
export interface Deletion {
  object_key: string
  multipart_id: string | null
}

/**
 * Removes an object that is on the garbage list already. Only the first try: when R2 is out of reach, or a PUT
 * under way creates the object again, the scheduled job still removes it, so nothing depends on this.
 */
export async function tryDelete(ctx: StorageContext, discarded: Deletion): Promise<void> {
  const { bucket, config } = ctx
  try {
    await abortMultipart(ctx, discarded)
    await withTimeout(config.CALL_TIMEOUT_MS, bucket.delete(discarded.object_key))
  } catch (error) {
    const { object_key } = discarded
    console.warn(
      JSON.stringify({ message: 'object left to the scheduled job', object_key, error: String(error) }),
    )
  }
}

/**
 * Ends a multipart upload, if there is one, so that its parts are given up and it can't be joined any more. One that
 * has been joined or aborted before is no mistake.
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

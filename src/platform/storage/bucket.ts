import type { Config } from '../config/variables.ts'
import type { StorageContext } from '../context.ts'
import type { garbage } from '../db/schema.ts'
import { storageUnavailable } from '../errors.ts'
import { logWarning } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'

/** An object in `garbage`, and the multipart upload that would have become the object. */
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

/** Waits for a call to the bucket, CALL_TIMEOUT_MS at most. @throws UNAVAILABLE when it fails or takes longer */
export function askStorage<Answer>(
  { CALL_TIMEOUT_MS }: Pick<Config, 'CALL_TIMEOUT_MS'>,
  call: Promise<Answer>,
): Promise<Answer> {
  return withTimeout(CALL_TIMEOUT_MS, call).catch(storageUnavailable)
}

/** The error codes of R2 that callers handle, as R2 documents them. */
export const r2Codes = {
  noSuchUpload: 10024,
  entityTooSmall: 10011,
  invalidPart: 10025,
  partsOfUnequalLength: 10048,
} as const

/** The code of an error that an R2 binding threw, which is in parentheses at the end of the message. */
export function r2Code(error: unknown): number | undefined {
  const code = error instanceof Error ? /\((\d+)\)$/.exec(error.message)?.[1] : undefined
  return code === undefined ? undefined : Number(code)
}

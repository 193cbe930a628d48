import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { garbage } from '../../platform/db/schema.ts'
import { insert } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { isNotPurging } from '../files/tree/lifecycle.ts'
import type { UploadRow } from './row.ts'

/**
 * SQL: whether a row of `uploads` is the owner's and has not ended. Each statement of a batch that ends the upload repeats
 * this condition.
 */
export function isOpen(id: string, owner_id: string): SQL {
  return sql`id = ${id} AND owner_id = ${owner_id} AND state IN ('open', 'completing') AND ${isNotErased}`
}

/** SQL: whether the content of an open upload waits for its verdict (docs/content-check.md). */
export const isWaiting = sql`check_state IS 'waiting'`

/** Whether the content of an upload waits for its verdict. */
export function waitsForVerdict({ state, check_state }: UploadRow): boolean {
  return check_state === 'waiting' && (state === 'open' || state === 'completing')
}

/** SQL: whether a row of `uploads` exists for its owner: not erased, and its file, if it has one, not being purged. */
export const uploadExists = sql`${isNotErased} AND (file_id IS NULL OR ${isNotPurging(sql`uploads.file_id`)})`

/**
 * Rejects an open upload past its `expires_at`, which the job has not removed yet. An upload that waits for its verdict
 * does not expire.
 *
 * @throws UPLOAD_EXPIRED
 */
export function rejectExpired(upload: UploadRow, ctx: RequestContext): void {
  const hasNotEnded = upload.state === 'open' || upload.state === 'completing'
  if (hasNotEnded && !waitsForVerdict(upload) && upload.expires_at <= seconds(ctx))
    throw new ApiError('UPLOAD_EXPIRED', { detail: 'Start a new upload.' })
}

/** When a URL of an upload is signed (`now`, Unix seconds) and how long it is valid (`ttl`, seconds): until the upload expires at most. */
export function urlLifetime(ctx: RequestContext, { expires_at }: UploadRow): { now: number; ttl: number } {
  const now = seconds(ctx)
  return { now, ttl: Math.max(1, Math.min(ctx.config.UPLOAD_URL_TTL, expires_at - now)) }
}

/** Rejects a failed upload with its own error. @throws UPLOAD_MISMATCH, UPLOAD_REJECTED, ASSET_NOT_FOUND */
export function rejectFailed({ failure_code, failure }: UploadRow): void {
  if (failure_code !== null) throw new ApiError(failure_code, { detail: `${failure} Start a new upload.` })
}

/**
 * The statement that queues the objects of uploads for deletion, for the batch that ends the uploads. `which` selects rows of
 * `uploads`. A signed URL may still create such an object, also after its deletion: the trigger `garbage_after_insert_count`
 * sets `writable_until` from the life of a URL and `now` (Unix seconds), and counts the key with its owner's open uploads
 * until then.
 */
export function enqueueDeletion(which: SQL, now: number): SQL {
  const row = {
    object_key: sql`id`,
    writable_until: sql`expires_at`,
    multipart_id: sql`multipart_id`,
    enqueued_at: now,
  }
  return sql`${insert(garbage, row, sql`FROM uploads WHERE ${which}`)} ON CONFLICT (object_key) DO NOTHING`
}

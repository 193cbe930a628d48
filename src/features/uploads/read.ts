import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { ApiError } from '../../platform/errors.ts'
import { isNotPurging } from '../files/tree/lifecycle.ts'
import { foundUpload, type UploadAndTarget, type UploadRow, uploadAndTarget } from './row.ts'

/** SQL: whether the upload is the owner's and has not ended. Each statement of a batch that ends it repeats this. */
export function isOpen(id: string, owner_id: string): SQL {
  return sql`id = ${id} AND owner_id = ${owner_id} AND state IN ('open', 'completing') AND ${isNotErased}`
}

/** SQL: whether the content of an open upload waits for its verdict (docs/content-check.md). */
export const isWaiting = sql`check_state IS 'waiting'`

/** Whether the content waits for its verdict. */
export function waitsForVerdict({ state, check_state }: UploadRow): boolean {
  return check_state === 'waiting' && (state === 'open' || state === 'completing')
}

/** SQL: whether an upload exists for its owner: not erased, and its file, if it has one, not being purged. */
export const uploadExists = sql`${isNotErased} AND (file_id IS NULL OR ${isNotPurging(sql`uploads.file_id`)})`

/** Reads an upload of the caller's, ended or open. @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED */
export async function readUpload(ctx: RequestContext, id: string): Promise<UploadAndTarget> {
  const found = foundUpload(await ctx.db.read(uploadAndTarget(id, ctx.user_id)))
  if (!found || isOfPurgedAsset(found)) throw new ApiError('UPLOAD_NOT_FOUND')
  rejectExpired(found.upload, ctx)
  return found
}

/** Whether the upload has become a version of an asset that has been purged. */
function isOfPurgedAsset({ upload, asset }: UploadAndTarget): boolean {
  return upload.upload_type === 'game_asset' && upload.state === 'completed' && !asset
}

/**
 * @throws UPLOAD_EXPIRED for an open upload whose time is over, until the scheduled job removes it. One that waits for its
 * verdict does not expire.
 */
export function rejectExpired(upload: UploadRow, ctx: RequestContext): void {
  const hasNotEnded = upload.state === 'open' || upload.state === 'completing'
  if (hasNotEnded && !waitsForVerdict(upload) && upload.expires_at <= seconds(ctx))
    throw new ApiError('UPLOAD_EXPIRED', { detail: 'Start a new upload.' })
}

/** From when (Unix seconds) and for how many seconds a URL of this upload is valid: never past the upload's end. */
export function urlLifetime(ctx: RequestContext, { expires_at }: UploadRow): { now: number; ttl: number } {
  const now = seconds(ctx)
  return { now, ttl: Math.max(1, Math.min(ctx.config.UPLOAD_URL_TTL, expires_at - now)) }
}

/** @throws the error of a failed upload: UPLOAD_MISMATCH, UPLOAD_REJECTED or ASSET_NOT_FOUND */
export function rejectFailed({ failure_code, failure }: UploadRow): void {
  if (failure_code !== null) throw new ApiError(failure_code, { detail: `${failure} Start a new upload.` })
}

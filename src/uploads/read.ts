import { type RequestContext, seconds } from '../context.ts'
import { ApiError } from '../errors.ts'
import { foundUpload, type UploadAndTarget, type UploadRow, uploadAndTarget } from './record.ts'

/** A caller's upload, ended or still open. @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED */
export async function readUpload(ctx: RequestContext, id: string): Promise<UploadAndTarget> {
  const found = foundUpload(await ctx.db.batch(uploadAndTarget(id, ctx.user_id)))
  if (!found || isOfGoneAsset(found)) throw new ApiError('UPLOAD_NOT_FOUND')
  rejectExpired(found.upload, ctx)
  return found
}

/** Whether it has become a version of an asset that has been deleted for good. */
function isOfGoneAsset({ upload, asset }: UploadAndTarget): boolean {
  return upload.upload_type === 'game_asset' && upload.state === 'completed' && !asset
}

/** @throws UPLOAD_EXPIRED for an open upload whose time is over; the scheduled job clears it away */
export function rejectExpired(upload: UploadRow, ctx: RequestContext): void {
  const isOpen = upload.state === 'open' || upload.state === 'completing'
  if (isOpen && upload.expires_at <= seconds(ctx))
    throw new ApiError('UPLOAD_EXPIRED', { detail: 'Start a new upload.' })
}

/** @throws what a failed upload failed with, UPLOAD_MISMATCH or ASSET_NOT_FOUND */
export function rejectFailed({ failure_code, failure }: UploadRow): void {
  if (failure_code !== null) throw new ApiError(failure_code, { detail: `${failure} Start a new upload.` })
}

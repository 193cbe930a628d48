import type { RequestContext } from '../../platform/context.ts'
import { ApiError } from '../../platform/errors.ts'
import { rejectExpired } from './lifecycle.ts'
import { foundUpload, type UploadAndTarget, uploadAndTarget } from './row.ts'

/** Reads an upload of the caller's, ended or open. @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED */
export async function readUpload(ctx: RequestContext, id: string): Promise<UploadAndTarget> {
  const found = foundUpload(await ctx.db.read(uploadAndTarget(id, ctx.user_id)))
  if (!found || isOfPurgedAsset(found)) throw new ApiError('UPLOAD_NOT_FOUND')
  rejectExpired(found.upload, ctx)
  return found
}

/** Whether a completed upload made a version of an asset that has been purged since. */
function isOfPurgedAsset({ upload, asset }: UploadAndTarget): boolean {
  return upload.upload_type === 'game_asset' && upload.state === 'completed' && !asset
}

import { sql } from 'drizzle-orm'
import { versionLimitError } from '../assets/rollback.ts'
import { type RequestContext, seconds } from '../context.ts'
import { retryOnConflict } from '../db/idempotency.ts'
import { isNotErased } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import type { ExpectedRevisions } from '../files/tree/revision.ts'
import { examine } from './examine.ts'
import { rejectExpired, rejectFailed } from './read.ts'
import { foundUpload, type UploadAndTarget, uploadAndTarget } from './record.ts'
import type { CompleteUpload } from './schema.ts'
import { markCompleted, markFailed, reopen } from './transitions.ts'

/** What a completion may bring beside what the start declared. */
export interface Completion extends CompleteUpload {
  /** In place of the revisions that the start of a replacing upload expected. */
  expected?: ExpectedRevisions
}

/**
 * Checks what has arrived against what was declared, and makes it a file's content or an asset's next version
 * (decisions, "Uploads"). Two trips: the first notes that completion is under way and reads the upload, the second
 * writes the outcome in one batch whose every statement repeats the state. Calling it again, also after a crash in
 * between or at the same time, comes to the same end and the same answer.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED, UPLOAD_INCOMPLETE, UPLOAD_MISMATCH, PRECONDITION_FAILED, ASSET_NOT_FOUND,
 * DUPLICATE_ASSET_NAME, LIMIT_REACHED (assets, public_assets, versions, all_versions)
 */
export async function completeUpload(
  ctx: RequestContext,
  id: string,
  given: Completion = {},
): Promise<UploadAndTarget> {
  const begun = await begin(ctx, id)
  if (begun.upload.state === 'completed') return completed(begun)
  const expected = expectedOf(begun, given)
  await refuseHopeless(ctx, begun, expected)

  const verdict = await examine(ctx, begun, given.parts)
  if (verdict.verdict === 'missing') {
    const now = await reopen(ctx, id)
    if (now?.upload.state === 'completed') return completed(now)
    if (!now) throw new ApiError('UPLOAD_NOT_FOUND')
    rejectFailed(now.upload)
    throw new ApiError('UPLOAD_INCOMPLETE', { detail: verdict.detail })
  }
  if (verdict.verdict === 'mismatch') {
    const ended = await markFailed(ctx, id, 'UPLOAD_MISMATCH', verdict.failure)
    rejectFailed(ended.upload)
    return completed(ended)
  }
  return retryOnConflict(async () => {
    const ended = await markCompleted(ctx, begun.upload, expected, given.name)
    if (ended.upload.state === 'completed') return completed(ended)
    await refuseHopeless(ctx, ended, expected)
    return undefined
  })
}

async function begin(ctx: RequestContext, id: string): Promise<UploadAndTarget> {
  const { db, user_id } = ctx
  const rows = await db.batch({
    completing: sql`UPDATE uploads SET state = 'completing'
      WHERE id = ${id} AND owner_id = ${user_id} AND state = 'open' AND expires_at > ${seconds(ctx)} AND ${isNotErased}`,
    processing: sql`UPDATE files SET processing_state = 'processing', revision = revision + 1
      WHERE processing_state = 'pending'
        AND id = (SELECT file_id FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND state = 'completing')`,
    ...uploadAndTarget(id, user_id),
  })
  const found = foundUpload(rows)
  if (!found) throw new ApiError('UPLOAD_NOT_FOUND')
  return found
}

/** Refuses what can't be completed whatever has arrived. An upload for an asset that has gone for good has failed. */
async function refuseHopeless(
  ctx: RequestContext,
  found: UploadAndTarget,
  expected: ExpectedRevisions,
): Promise<void> {
  const { upload, file, asset } = found
  rejectFailed(upload)
  rejectExpired(upload, ctx)
  if (asset && asset.deleted_at !== null)
    throw new ApiError('ASSET_NOT_FOUND', {
      detail: 'The asset is in its trash. Restore it and complete the upload again, or abort.',
    })
  if (upload.asset_id !== null && !asset) {
    const { upload: failed } = await markFailed(
      ctx,
      upload.id,
      'ASSET_NOT_FOUND',
      'The asset has been deleted for good.',
    )
    rejectFailed(failed)
  }
  const limit = asset && versionLimitError(asset, ctx.config)
  if (limit) throw limit
  if (file && expected && !expected.includes(file.revision))
    throw new ApiError('PRECONDITION_FAILED', {
      detail:
        'The file has changed since this upload was started. Read it again, and complete with its ETag in If-Match to replace it, or abort.',
    })
}

/** The revisions of the file that may be replaced: what completion brings comes before what the start did. */
function expectedOf({ upload }: UploadAndTarget, { expected }: Completion): ExpectedRevisions {
  if (upload.replaces === 0) return null
  if (expected !== undefined) return expected
  return upload.expected_revisions === null ? null : JSON.parse(upload.expected_revisions)
}

/** A completed upload with what it has made. @throws ASSET_NOT_FOUND when that has been deleted for good since */
function completed(found: UploadAndTarget): UploadAndTarget {
  if (found.upload.upload_type === 'game_asset' && !found.version) throw new ApiError('ASSET_NOT_FOUND')
  return found
}

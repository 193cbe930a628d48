import type { RequestContext } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import type { ExpectedRevisions } from '../../platform/db/revision.ts'
import { ApiError } from '../../platform/errors.ts'
import { versionLimitError } from '../assets/rollback.ts'
import { beginCheck } from './begin-check.ts'
import { mustBeChecked } from './checked-kinds.ts'
import { contentOf } from './content.ts'
import { inspect } from './inspect.ts'
import { rejectExpired, rejectFailed, waitsForVerdict } from './lifecycle.ts'
import type { UploadAndTarget } from './row.ts'
import type { CompleteUpload } from './schema.ts'
import { markCompleted, markCompleting, markFailed, reopen } from './transitions.ts'

/** The body and the If-Match of a request that completes an upload. */
export interface Completion extends CompleteUpload {
  /** Replaces the revisions that the start of an upload for an existing file or asset expected. */
  expected?: ExpectedRevisions
}

/**
 * Compares what has arrived with what was declared, and makes it a file's content or an asset's next version
 * (docs/conformance.md#uploads). Two trips: the first marks the upload as completing and reads it, the second writes
 * the outcome in one batch. Repeated and concurrent completions, also after an interrupted one, have the same outcome
 * and answer. Content that has to be checked waits for its verdict (docs/content-check.md): then the returned upload is
 * still waiting.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED, UPLOAD_INCOMPLETE, UPLOAD_MISMATCH, UPLOAD_REJECTED, PRECONDITION_FAILED,
 * ASSET_NOT_FOUND, VERSION_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (assets, public_assets, versions, all_versions)
 */
export async function completeUpload(
  ctx: RequestContext,
  id: string,
  given: Completion = {},
): Promise<UploadAndTarget> {
  const begun = await markCompleting(ctx, id)
  if (!begun) throw new ApiError('UPLOAD_NOT_FOUND')
  if (isAccepted(begun)) return completed(begun)
  const expected = expectedOf(begun, given)
  await rejectImpossible(ctx, begun, expected)

  const inspection = await inspect(ctx, begun, given.parts)
  if (inspection.outcome === 'missing') return reopenWithoutObject(ctx, id, inspection.detail)
  if (inspection.outcome === 'mismatch') {
    const ended = await markFailed(ctx, id, 'UPLOAD_MISMATCH', inspection.failure)
    rejectFailed(ended.upload)
    return completed(ended)
  }
  return complete(ctx, begun, expected, given.name)
}

/**
 * Reopens an upload whose object was not found. Returns the upload if another completion has accepted it meanwhile.
 *
 * @throws UPLOAD_INCOMPLETE, UPLOAD_NOT_FOUND, or the error of a failed upload
 */
async function reopenWithoutObject(
  ctx: RequestContext,
  id: string,
  detail: string,
): Promise<UploadAndTarget> {
  const now = await reopen(ctx, id)
  if (!now) throw new ApiError('UPLOAD_NOT_FOUND')
  if (isAccepted(now)) return completed(now)
  rejectFailed(now.upload)
  throw new ApiError('UPLOAD_INCOMPLETE', { detail })
}

/** Completes an upload whose object is as declared, or has the object checked first. */
function complete(
  ctx: RequestContext,
  begun: UploadAndTarget,
  expected: ExpectedRevisions,
  name: string | undefined,
): Promise<UploadAndTarget> {
  let found = begun
  return retryOnConflict(async () => {
    const content = contentOf(ctx, begun.upload, expected, name)
    found = mustBeChecked(ctx, found)
      ? await beginCheck(ctx, found.upload, content.condition, { name, expected })
      : await markCompleted(ctx, begun.upload.id, content)
    if (isAccepted(found)) return completed(found)
    await rejectImpossible(ctx, found, expected)
    return undefined
  })
}

/** Whether the client is done: the upload is completed, or waits for its verdict. */
function isAccepted({ upload }: UploadAndTarget): boolean {
  return upload.state === 'completed' || waitsForVerdict(upload)
}

/**
 * Rejects an upload that can't be completed, whatever has arrived. An upload for an asset that has been purged is marked
 * as failed.
 *
 * @throws UPLOAD_MISMATCH, UPLOAD_REJECTED, UPLOAD_EXPIRED, ASSET_NOT_FOUND, LIMIT_REACHED (versions), PRECONDITION_FAILED
 */
export async function rejectImpossible(
  ctx: RequestContext,
  { upload, file, asset }: UploadAndTarget,
  expected: ExpectedRevisions,
): Promise<void> {
  rejectFailed(upload)
  rejectExpired(upload, ctx)
  if (asset && asset.deleted_at !== null)
    throw new ApiError('ASSET_NOT_FOUND', {
      detail: 'The asset is in its trash. Restore it and complete the upload again, or abort.',
    })
  if (upload.asset_id !== null && !asset) {
    const failure = 'The asset has been deleted permanently.'
    rejectFailed((await markFailed(ctx, upload.id, 'ASSET_NOT_FOUND', failure)).upload)
  }
  const limit = asset && versionLimitError(asset, ctx.config)
  if (limit) throw limit
  const target = file ?? asset
  if (target && expected && !expected.includes(target.revision))
    throw new ApiError('PRECONDITION_FAILED', {
      detail: file
        ? 'The file has changed since this upload was started. Read the file again, and complete with its ETag in If-Match to replace its content, or abort.'
        : 'The asset has changed since this upload was started. Read the asset again, and complete with its ETag in If-Match to add the version, or abort.',
    })
}

/** The revisions at which an existing file or asset may get the content: those of the completion, or else those of the start. */
export function expectedOf(
  { upload }: Pick<UploadAndTarget, 'upload'>,
  { expected }: Completion = {},
): ExpectedRevisions {
  const isForExisting = upload.upload_type === 'file' ? upload.replaces === 1 : upload.asset_type === null
  if (!isForExisting) return null
  if (expected !== undefined) return expected
  return upload.expected_revisions === null ? null : JSON.parse(upload.expected_revisions)
}

/**
 * Returns an accepted upload.
 *
 * @throws ASSET_NOT_FOUND when the upload's asset has been purged since its completion, VERSION_NOT_FOUND when the version
 * has been deleted
 */
function completed(found: UploadAndTarget): UploadAndTarget {
  const { state, upload_type } = found.upload
  if (state === 'completed' && upload_type === 'game_asset' && !found.version)
    throw found.asset
      ? new ApiError('VERSION_NOT_FOUND', { detail: 'The version that this upload made was deleted.' })
      : new ApiError('ASSET_NOT_FOUND')
  return found
}

import { sql } from 'drizzle-orm'
import { searchName } from '../assets/name.ts'
import { identity } from '../assets/record.ts'
import { versionLimitError } from '../assets/rollback.ts'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createdAt, updatedAt } from '../db/marks.ts'
import { retryOnConflict } from '../db/retry.ts'
import { assetVersions, files, gameAssets } from '../db/schema.ts'
import { assignments, insert } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { exists } from '../files/tree/lifecycle.ts'
import { type ExpectedRevisions, revisionIn } from '../files/tree/revision.ts'
import { enqueueContentDeletion } from '../storage/garbage.ts'
import { inspect } from './inspect.ts'
import { rejectExpired, rejectFailed, type UploadAndTarget, type UploadRow } from './read.ts'
import type { CompleteUpload } from './schema.ts'
import { type Made, markCompleted, markCompleting, markFailed, reopen } from './transitions.ts'

/** The body of a completion, with its If-Match. */
export interface Completion extends CompleteUpload {
  /** Replaces the revisions that the start of a replacing upload expected. */
  expected?: ExpectedRevisions
}

/**
 * Compares what has arrived with what was declared, and makes it a file's content or an asset's next version (decisions,
 * "Uploads"). Two trips: the first marks the upload as completing and reads it, the second writes the outcome in one
 * batch. Repeated and concurrent completions, also after an interrupted one, have the same outcome and answer.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED, UPLOAD_INCOMPLETE, UPLOAD_MISMATCH, PRECONDITION_FAILED, ASSET_NOT_FOUND,
 * DUPLICATE_ASSET_NAME, LIMIT_REACHED (assets, public_assets, versions, all_versions)
 */
export async function completeUpload(
  ctx: RequestContext,
  id: string,
  given: Completion = {},
): Promise<UploadAndTarget> {
  const begun = await markCompleting(ctx, id)
  if (!begun) throw new ApiError('UPLOAD_NOT_FOUND')
  if (begun.upload.state === 'completed') return completed(begun)
  const expected = expectedOf(begun, given)
  await rejectImpossible(ctx, begun, expected)

  const inspection = await inspect(ctx, begun, given.parts)
  if (inspection.outcome === 'missing') {
    const now = await reopen(ctx, id)
    if (now?.upload.state === 'completed') return completed(now)
    if (!now) throw new ApiError('UPLOAD_NOT_FOUND')
    rejectFailed(now.upload)
    throw new ApiError('UPLOAD_INCOMPLETE', { detail: inspection.detail })
  }
  if (inspection.outcome === 'mismatch') {
    const ended = await markFailed(ctx, id, 'UPLOAD_MISMATCH', inspection.failure)
    rejectFailed(ended.upload)
    return completed(ended)
  }
  const { upload } = begun
  const make = (completion_id: string) =>
    upload.upload_type === 'file'
      ? fileContent(ctx, upload, completion_id, expected)
      : assetVersion(ctx, upload, completion_id, given.name)
  return retryOnConflict(async () => {
    const ended = await markCompleted(ctx, id, make)
    if (ended.upload.state === 'completed') return completed(ended)
    await rejectImpossible(ctx, ended, expected)
    return undefined
  })
}

/**
 * Throws why an upload can't be completed, whatever has arrived. An upload for an asset that has been purged is marked as
 * failed.
 */
async function rejectImpossible(
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
  if (file && expected && !expected.includes(file.revision))
    throw new ApiError('PRECONDITION_FAILED', {
      detail:
        'The file has changed since this upload was started. Read it again, and complete with its ETag in If-Match to replace it, or abort.',
    })
}

/** The revisions of the file that may be replaced: those of the completion, or else those of the start. */
function expectedOf({ upload }: UploadAndTarget, { expected }: Completion): ExpectedRevisions {
  if (upload.replaces === 0) return null
  if (expected !== undefined) return expected
  return upload.expected_revisions === null ? null : JSON.parse(upload.expected_revisions)
}

/** A completed upload with what it made. @throws ASSET_NOT_FOUND when the asset has been purged since */
function completed(found: UploadAndTarget): UploadAndTarget {
  if (found.upload.upload_type === 'game_asset' && !found.version) throw new ApiError('ASSET_NOT_FOUND')
  return found
}

/** Makes the object the content of the upload's file. The previous content is deleted after its URLs have expired. */
function fileContent(
  ctx: RequestContext,
  { id }: UploadRow,
  completion_id: string,
  expected: ExpectedRevisions,
): Made {
  const now = seconds(ctx)
  const isTarget = sql`id = (SELECT file_id FROM uploads WHERE id = ${id} AND completion_id = ${completion_id})`
  const changes = {
    processing_state: 'ready',
    revision: sql`revision + 1`,
    updated_at: updatedAt(now),
  } as const
  return {
    condition: sql`${exists(sql`uploads.file_id`)}
      AND EXISTS (SELECT 1 FROM files WHERE files.id = uploads.file_id AND ${revisionIn(expected)})`,
    columns: {},
    statements: [
      enqueueContentDeletion(ctx, isTarget, now + ctx.config.DOWNLOAD_URL_TTL),
      sql`UPDATE files SET ${assignments(files, changes)},
          (size_bytes, mime_type, object_key) = (SELECT size_bytes, mime_type, id FROM uploads WHERE id = ${id})
        WHERE ${isTarget}`,
    ],
  }
}

/** Makes the object the next version of its asset, and the asset too when the upload is for a new one. */
function assetVersion(
  ctx: RequestContext,
  upload: UploadRow,
  completion_id: string,
  given_name: string | undefined,
): Made {
  const { config, user_id } = ctx
  const [asset_id, now] = [newId(user_id), createdAt(seconds(ctx), user_id)]
  const name = given_name ?? upload.name ?? ''
  const isCompleted = sql`uploads.id = ${upload.id} AND completion_id = ${completion_id}`
  const asset = {
    ...identity(asset_id),
    owner_id: sql`owner_id`,
    type: sql`asset_type`,
    name,
    search_name: searchName(name),
    visibility: sql`visibility`,
    created_at: now,
    updated_at: now,
  }
  const version = {
    id: sql`completion_id`,
    asset_id: sql`asset_id`,
    version: sql`current_version + 1`,
    size_bytes: sql`size_bytes`,
    mime_type: sql`mime_type`,
    object_key: sql`uploads.id`,
    created_at: now,
  }
  return {
    condition: sql`(asset_id IS NULL OR EXISTS (
        SELECT 1 FROM game_assets WHERE game_assets.id = uploads.asset_id AND game_assets.owner_id = ${user_id}
          AND deleted_at IS NULL AND current_version < ${config.MAX_VERSIONS_PER_ASSET}
      ))`,
    columns: { asset_id: sql`coalesce(asset_id, ${asset_id})` },
    statements: [
      insert(gameAssets, asset, sql`FROM uploads WHERE ${isCompleted} AND asset_id = ${asset_id}`),
      insert(
        assetVersions,
        version,
        sql`FROM uploads JOIN game_assets ON game_assets.id = asset_id WHERE ${isCompleted}`,
      ),
    ],
  }
}

import { type SQL, sql } from 'drizzle-orm'
import { orDuplicate, searchName } from '../assets/name.ts'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createdAt, updatedAt } from '../db/marks.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import { exists } from '../files/tree/lifecycle.ts'
import { type ExpectedRevisions, revisionIn } from '../files/tree/revision.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { tryDelete } from '../storage/delete.ts'
import { enqueueContentDeletion, enqueueDeletion } from '../storage/garbage.ts'
import { foundUpload, isOpen, type UploadAndTarget, type UploadRow, uploadAndTarget } from './record.ts'

/** Nothing has arrived: takes the note back, so that the file shows as pending again. Tells how things stand. */
export async function reopen(
  { db, user_id }: RequestContext,
  id: string,
): Promise<UploadAndTarget | undefined> {
  const rows = await db.batch({
    pending: sql`UPDATE files SET processing_state = 'pending', revision = revision + 1
      WHERE processing_state = 'processing'
        AND id = (SELECT file_id FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND state = 'completing')`,
    reopened: sql`UPDATE uploads SET state = 'open' WHERE id = ${id} AND owner_id = ${user_id} AND state = 'completing'`,
    ...uploadAndTarget(id, user_id),
  })
  return foundUpload(rows)
}

/** SQL: what only an open upload needs, and what may be long, goes when it ends. */
const nothingMoreToCome = sql`parts = '{}', expected_revisions = NULL`

/** Ends an upload and what it would have made, and gives up its object. */
export async function markFailed(
  ctx: RequestContext,
  id: string,
  code: ErrorCode,
  failure: string,
): Promise<UploadAndTarget> {
  const { db, user_id } = ctx
  const failed = sql`id = ${id} AND owner_id = ${user_id} AND state = 'failed'`
  const rows = await db.batch({
    ended: sql`UPDATE uploads SET state = 'failed', failure_code = ${code}, failure = ${failure}, ${nothingMoreToCome}
      WHERE ${isOpen(id, user_id)}`,
    failed: sql`UPDATE files SET processing_state = 'failed', revision = revision + 1
      WHERE processing_state IN ('pending', 'processing') AND id = (SELECT file_id FROM uploads WHERE ${failed})`,
    object: enqueueDeletion(failed, seconds(ctx)),
    ...uploadAndTarget(id, user_id),
  })
  const found = orNotFound(foundUpload(rows))
  const { multipart_id } = found.upload
  if (found.upload.state === 'failed') await tryDelete(ctx, { object_key: id, multipart_id })
  return found
}

/**
 * Ends an upload as completed, with what it makes. The first statement carries every condition and leaves the mark
 * of this completion; the others do nothing unless they find it, for another completion may have ended the upload
 * long ago. The bytes move from the reservation: no limit is asked again about what was let in.
 *
 * @throws UPLOAD_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (assets, public_assets, all_versions)
 */
export async function markCompleted(
  ctx: RequestContext,
  upload: UploadRow,
  expected: ExpectedRevisions,
  name: string | undefined,
): Promise<UploadAndTarget> {
  const completion_id = newId(ctx.user_id)
  const statements =
    upload.upload_type === 'file'
      ? becomeContent(ctx, upload, completion_id, expected)
      : becomeVersion(ctx, upload, completion_id, name)
  const rows = await orDuplicate(
    ctx.db.batch({
      usage: ensureUsageRow(ctx),
      completion: statements,
      ...uploadAndTarget(upload.id, ctx.user_id),
    }),
  )
  return orNotFound(foundUpload(rows))
}

/**
 * The object becomes the file's. What it was before is given up, but not before the URLs to it that were handed out
 * have expired.
 */
function becomeContent(
  ctx: RequestContext,
  { id }: UploadRow,
  completion_id: string,
  expected: ExpectedRevisions,
): [SQL, SQL, SQL] {
  const now = seconds(ctx)
  const file = sql`id = (SELECT file_id FROM uploads WHERE id = ${id} AND completion_id = ${completion_id})`
  return [
    sql`UPDATE uploads SET state = 'completed', completion_id = ${completion_id}, ${nothingMoreToCome}
      WHERE ${isOpen(id, ctx.user_id)} AND ${exists(sql`uploads.file_id`)}
        AND EXISTS (SELECT 1 FROM files WHERE files.id = uploads.file_id AND ${revisionIn(expected)})`,
    enqueueContentDeletion(file, now, now + ctx.config.DOWNLOAD_URL_TTL),
    sql`UPDATE files SET
        (size_bytes, mime_type, object_key) = (SELECT size_bytes, mime_type, id FROM uploads WHERE id = ${id}),
        processing_state = 'ready', revision = revision + 1, updated_at = ${updatedAt(now)}
      WHERE ${file}`,
  ]
}

/** The object becomes the next version of its asset, which is made first if the upload is for a new one. */
function becomeVersion(
  ctx: RequestContext,
  upload: UploadRow,
  completion_id: string,
  name: string | undefined,
): [SQL, SQL, SQL] {
  const { config, user_id } = ctx
  const [now, asset_id] = [seconds(ctx), newId(user_id)]
  const assetName = name ?? upload.name ?? ''
  const mine = sql`uploads.id = ${upload.id} AND completion_id = ${completion_id}`
  return [
    sql`UPDATE uploads SET state = 'completed', completion_id = ${completion_id}, ${nothingMoreToCome},
        asset_id = coalesce(asset_id, ${asset_id})
      WHERE ${isOpen(upload.id, user_id)} AND (asset_id IS NULL OR EXISTS (
        SELECT 1 FROM game_assets WHERE game_assets.id = uploads.asset_id AND game_assets.owner_id = ${user_id}
          AND deleted_at IS NULL AND current_version < ${config.MAX_VERSIONS_PER_ASSET}
      ))`,
    sql`INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
      SELECT asset_id, owner_id, asset_type, ${assetName}, ${searchName(assetName)}, visibility, ${createdAt(now, user_id)}, ${createdAt(now, user_id)}
      FROM uploads WHERE ${mine} AND asset_id = ${asset_id}`,
    sql`INSERT INTO asset_versions (id, asset_id, version, size_bytes, mime_type, object_key, created_at)
      SELECT completion_id, asset_id, current_version + 1, size_bytes, mime_type, uploads.id,
        ${createdAt(now, user_id)}
      FROM uploads JOIN game_assets ON game_assets.id = asset_id WHERE ${mine}`,
  ]
}

function orNotFound(found: UploadAndTarget | undefined): UploadAndTarget {
  if (!found) throw new ApiError('UPLOAD_NOT_FOUND')
  return found
}

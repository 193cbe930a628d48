import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { type ExpectedRevisions, listOfRevisions, revisionIn } from '../../platform/db/revision.ts'
import { assetVersions, files, gameAssets, garbage, uploads } from '../../platform/db/schema.ts'
import { assignments, insert, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { createdAt, updatedAt } from '../../platform/db/watermark.ts'
import { ApiError, type ErrorCode } from '../../platform/errors.ts'
import { searchName } from '../../platform/lib/text.ts'
import { tryDelete } from '../../platform/storage/bucket.ts'
import { assetCreated, newAssetPublished, versionAdded } from '../assets/events.ts'
import { orDuplicate } from '../assets/name.ts'
import { newPage, pageColumns, versionCount } from '../assets/row.ts'
import { canAddVariant } from '../assets/variants.ts'
import { writeAsset } from '../catalogue/write.ts'
import { exists } from '../files/path.ts'
import { contentDeletion } from '../files/row.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { addVariant } from './add-variant.ts'
import { failureOf, uploadCompleted, uploadFailed } from './events.ts'
import {
  type Completed,
  existingUpload,
  isCompleted,
  isOpen,
  isWaiting,
  type OwnUpload,
  partColumns,
  type UploadAndTarget,
  type UploadRow,
  uploadAndTarget,
  uploadExists,
} from './row.ts'

/*
 * The transitions of an upload. Each is one batch whose every statement repeats the state that it starts from.
 *
 *   open → completing       a completion reads the object (complete.ts)
 *   completing → open       the completion has found no object (complete.ts)
 *   open, completing → completed | failed       (markCompleted, markFailed)
 *   open, completing, failed → no row       (abortUpload)
 *   open, completing → no row       after `expires_at` (tasks.ts)
 *
 * `completing` is not a lock: every rule treats it as open. An upload whose content is checked stays `completing` while
 * its `check_state` is `waiting` (complete.ts): then only a verdict completes the upload, and the upload does not expire.
 */

/**
 * The statement that queues the objects of uploads for deletion, for the batch that ends the uploads. `which` selects rows of
 * `uploads`. A signed URL may still create such an object, also after its deletion: the trigger `garbage_after_insert_count`
 * sets `writable_until` from the life of a URL and `now` (Unix seconds), and counts the key with its owner's open uploads
 * until then.
 */
export function enqueueDeletion(which: SQL, now: number | SQL): SQL {
  const row = {
    object_key: sql`id`,
    writable_until: sql`expires_at`,
    multipart_id: sql`multipart_id`,
    enqueued_at: now,
  }
  return sql`${insert(garbage, row, sql`FROM uploads WHERE ${which}`)} ON CONFLICT (object_key) DO NOTHING`
}

/**
 * The columns that the end of an upload writes. It clears the columns that only an open upload needs, because they may be long.
 * Without a verdict it leaves out the columns of the check: writing them reads rows of their indexes.
 */
function endedColumns(verdict: 'ready' | 'failed' | null) {
  const cleared = { ...partColumns([]), expected_revisions: null, notes: null, page: null }
  return verdict === null ? cleared : { ...cleared, check_state: verdict, check_next_at: null }
}

/** SQL: whether a row of `uploads` can fail now. With a verdict, its content has to wait for the verdict. */
function canFail(p: OwnUpload & Params<'verdict'>): SQL {
  return sql`${isOpen(p)} AND (${p.verdict} IS NULL OR ${isWaiting})`
}

const hasFailed = (p: OwnUpload) => sql`id = ${p.id} AND owner_id = ${p.user_id} AND state = 'failed'`

const fail = perShape((verdict: 'failed' | null) =>
  statement((p: OwnUpload & Params<'failure_code' | 'failure' | 'verdict'>) => {
    const { failure_code, failure } = p
    const changes = { state: 'failed' as const, failure_code, failure, ...endedColumns(verdict) }
    return sql`UPDATE uploads SET ${assignments(uploads, changes)} WHERE ${canFail(p)}`
  }),
)

const failFile = statement(
  (p: OwnUpload) => sql`UPDATE files SET processing_state = 'failed', revision = revision + 1
    WHERE processing_state IN ('pending', 'processing') AND id = (SELECT file_id FROM uploads WHERE ${hasFailed(p)})`,
)

const deleteFailed = statement((p: OwnUpload & Params<'now'>) => enqueueDeletion(hasFailed(p), p.now))

const failedOne = uploadFailed(canFail)

/**
 * Marks an open upload and its unfinished file as failed, and deletes its object. With a verdict, only if the content waits for
 * one. Returns the rows.
 *
 * @throws UPLOAD_NOT_FOUND
 */
export async function markFailed(
  ctx: RequestContext,
  id: string,
  failure_code: ErrorCode,
  failure: string,
  verdict: 'failed' | null = null,
): Promise<UploadAndTarget> {
  const { db, user_id } = ctx
  const reason = failureOf(failure_code)
  const values = { id, user_id, now: seconds(ctx), failure_code, failure, verdict, reason }
  const rows = await db.write({
    events: failedOne(ctx, values),
    failed: fail(verdict)(values),
    failed_file: failFile(values),
    object: deleteFailed(values),
    ...uploadAndTarget(values),
  })
  const found = existingUpload(rows)
  const { state, multipart_id } = found.upload
  if (state === 'failed') await tryDelete(ctx, { object_key: id, multipart_id })
  return found
}

const ofUpload = {
  asset_id: sql`uploads.asset_id`,
  version: sql`uploads.version`,
  platform: sql`uploads.platform`,
}

type TargetParams = Params<'user_id' | 'expected' | 'max_versions'>

/**
 * SQL: whether the target of a row of `uploads` can take the content: a file that exists, or an asset that is not deleted and
 * has room for a version, or whose version has room for a variant, at an expected revision.
 */
export function canTake(p: TargetParams): SQL {
  return sql`(file_id IS NULL OR (${exists(sql`uploads.file_id`)}
      AND EXISTS (SELECT 1 FROM files WHERE files.id = uploads.file_id AND ${revisionIn(p.expected)})))
    AND (asset_id IS NULL OR EXISTS (
      SELECT 1 FROM game_assets WHERE game_assets.id = uploads.asset_id AND game_assets.owner_id = ${p.user_id}
        AND deleted_at IS NULL AND ${revisionIn(p.expected)}
        AND iif(uploads.version IS NULL, ${versionCount} < ${p.max_versions}, ${canAddVariant(ofUpload)})
    ))`
}

/** Without a verdict, content that waits for one is not completed. */
const complete = perShape((verdict: 'ready' | null) =>
  statement((p: OwnUpload & TargetParams & Completed & Params<'new_asset_id' | 'verdict'>) => {
    const changes = {
      state: 'completed' as const,
      completion_id: p.completion_id,
      asset_id: sql`coalesce(asset_id, ${p.new_asset_id})`,
      ...endedColumns(verdict),
    }
    return sql`UPDATE uploads SET ${assignments(uploads, changes)}
      WHERE ${isOpen(p)} AND (${isWaiting}) = (${p.verdict} IS NOT NULL) AND ${canTake(p)}`
  }),
)

/** SQL: whether a row of `files` is the file of the completed upload. */
const isTarget = (p: Completed) => sql`id = (SELECT file_id FROM uploads WHERE ${isCompleted(p)})`

const deletePrevious = contentDeletion(isTarget)

const fillFile = statement((p: Completed & Params<'now'>) => {
  const changes = {
    processing_state: 'ready' as const,
    revision: sql`revision + 1`,
    updated_at: updatedAt(p.now),
  }
  return sql`UPDATE files SET ${assignments(files, changes)},
      (size_bytes, mime_type, object_key) = (SELECT size_bytes, mime_type, id FROM uploads WHERE id = ${p.id})
    WHERE ${isTarget(p)}`
})

type NewAsset = Completed &
  Params<'user_id' | 'now' | 'new_asset_id' | 'name' | 'search_name' | keyof ReturnType<typeof pageColumns>>

const insertAsset = statement((p: NewAsset) => {
  const now = createdAt(p.now, p.user_id)
  const asset = {
    id: p.new_asset_id,
    owner_id: sql`owner_id`,
    type: sql`asset_type`,
    name: p.name,
    search_name: p.search_name,
    visibility: sql`visibility`,
    public_since: sql`iif(visibility = 'public', ${now}, NULL)`,
    ...newPage(p),
    created_at: now,
    updated_at: now,
  }
  const from = sql`FROM uploads WHERE ${isCompleted(p)} AND asset_id = ${p.new_asset_id}`
  return insert(gameAssets, asset, from)
})

const insertVersion = statement((p: Completed & Params<'user_id' | 'now' | 'notes'>) => {
  const version = {
    id: sql`completion_id`,
    asset_id: sql`asset_id`,
    version: sql`current_version + 1`,
    size_bytes: sql`size_bytes`,
    mime_type: sql`mime_type`,
    object_key: sql`uploads.id`,
    checksum_sha256: sql`checksum_sha256`,
    // A value, because the statement that completes the upload has cleared the notes in its row.
    notes: p.notes,
    min_build: sql`min_build`,
    max_build: sql`max_build`,
    created_at: createdAt(p.now, p.user_id),
    platform: sql`platform`,
  }
  const from = sql`FROM uploads JOIN game_assets ON game_assets.id = asset_id WHERE ${isCompleted(p)}`
  return insert(assetVersions, version, from)
})

/** The members of a completion besides its upload. */
interface Outcome {
  /** The revisions at which the target may get the content. */
  expected: ExpectedRevisions
  /** Another name for a new asset. */
  name?: string | undefined
  verdict?: 'ready' | null
}

/**
 * Marks an open upload as completed, and makes its object the content of its file, the next version of its asset or a variant of a
 * version; an upload for a new asset creates the asset. The first statement carries every condition and writes the id of this completion. The
 * others require that id, because another completion may have ended the upload before. The bytes move from the reservation to
 * the content, so no limit on bytes is checked again. Only a verdict completes content that waits for one. Returns the rows.
 *
 * @throws UPLOAD_NOT_FOUND, DUPLICATE_ASSET_NAME, LIMIT_REACHED (assets, public_assets, all_versions)
 */
export async function markCompleted(
  ctx: RequestContext,
  upload: UploadRow,
  { expected, name, verdict = null }: Outcome,
): Promise<UploadAndTarget> {
  const { db, user_id, config } = ctx
  const values = {
    id: upload.id,
    user_id,
    now: seconds(ctx),
    completion_id: newId(user_id),
    expected: listOfRevisions(expected),
    max_versions: config.MAX_VERSIONS_PER_ASSET,
    verdict,
    notes: upload.notes,
  }
  if (upload.upload_type === 'file') {
    const rows = await db.write({
      usage: ensureUsageRow(ctx),
      completed: complete(verdict)({ ...values, new_asset_id: null }),
      // The previous content is deleted once its download URLs have expired.
      previous: deletePrevious(ctx, values, values.now + config.DOWNLOAD_URL_TTL),
      file_content: fillFile(values),
      events: uploadCompleted(ctx, values),
      ...uploadAndTarget(values),
    })
    const found = existingUpload(rows)
    const { state, replaces } = found.upload
    if (state === 'completed' && replaces === 1 && found.file?.asset_type === 'profile_pic')
      ctx.ended.push(['profile', user_id])
    return found
  }
  if (upload.asset_id !== null && upload.version !== null) {
    const statements = {
      usage: ensureUsageRow(ctx),
      completed: complete(verdict)({ ...values, new_asset_id: null }),
      variant: addVariant(values),
      events: uploadCompleted(ctx, values),
      ...uploadAndTarget(values),
    }
    return existingUpload(await writeAsset(ctx, db, statements, { asset_id: upload.asset_id }))
  }
  const new_asset_id = newId(user_id)
  const new_name = name ?? upload.name ?? ''
  const page = pageColumns(upload.page === null ? {} : JSON.parse(upload.page))
  const asset = { ...values, ...page, new_asset_id, name: new_name, search_name: searchName(new_name) }
  const statements = {
    usage: ensureUsageRow(ctx),
    completed: complete(verdict)(asset),
    asset_created: insertAsset(asset),
    version_added: insertVersion(asset),
    asset_events: [
      ...assetCreated(ctx, { id: new_asset_id }),
      ...versionAdded(ctx, { version_id: values.completion_id }),
      ...newAssetPublished(ctx, { id: new_asset_id }),
    ],
    events: uploadCompleted(ctx, values),
    ...uploadAndTarget(values),
  }
  const asset_id = upload.asset_id ?? new_asset_id
  const rows = await orDuplicate(writeAsset(ctx, db, statements, { asset_id }))
  return existingUpload(rows)
}

/** SQL: whether a row of `uploads` is the user's and is not completed. */
function canAbort({ id, user_id }: OwnUpload): SQL {
  return sql`id = ${id} AND owner_id = ${user_id} AND state <> 'completed' AND ${uploadExists}`
}

const abort = statement(
  (p: OwnUpload) =>
    sql<Pick<UploadRow, 'multipart_id'>>`DELETE FROM uploads WHERE ${canAbort(p)} RETURNING multipart_id`,
)

const deleteFile = statement(
  (
    p: OwnUpload,
  ) => sql`DELETE FROM files WHERE id = (SELECT file_id FROM uploads WHERE ${canAbort(p)} AND replaces = 0)
      AND processing_state IN ('pending', 'processing', 'failed') AND object_key IS NULL
      AND NOT EXISTS (SELECT 1 FROM uploads AS other WHERE other.file_id = files.id AND other.id <> ${p.id})`,
)

const deleteAborted = statement((p: OwnUpload & Params<'now'>) => enqueueDeletion(canAbort(p), p.now))

const leftUpload = statement(
  (p: OwnUpload) =>
    sql`SELECT state FROM uploads WHERE id = ${p.id} AND owner_id = ${p.user_id} AND ${uploadExists}`,
)

const abortedOne = uploadFailed(canAbort)

/**
 * Removes an upload that is not completed, with its reservation and its unfinished file, and deletes its object, even one
 * that a PUT under way creates later (docs/conformance.md#uploads). A file whose content was to be replaced stays.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_COMPLETED
 */
export async function abortUpload(ctx: RequestContext, id: string): Promise<void> {
  const values = { id, user_id: ctx.user_id, now: seconds(ctx), reason: 'aborted' }
  const {
    aborted: [aborted],
    left: [left],
  } = await ctx.db.write({
    events: abortedOne(ctx, values),
    object: deleteAborted(values),
    file: deleteFile(values),
    aborted: abort(values),
    left: leftUpload(values),
  })
  if (!aborted) throw new ApiError(left ? 'UPLOAD_COMPLETED' : 'UPLOAD_NOT_FOUND')
  await tryDelete(ctx, { object_key: id, multipart_id: aborted.multipart_id })
}

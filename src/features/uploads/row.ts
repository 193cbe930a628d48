import type { z } from '@hono/zod-openapi'
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { uploads } from '../../platform/db/schema.ts'
import { columnsOf, type Params, type RowOf, statement } from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import {
  type AssetRow,
  assetColumns,
  assetRecord,
  type PreviewUrls,
  type VersionRow,
  versionColumns,
  versionRecord,
} from '../assets/row.ts'
import { exists, isNotPurging, shownColumns } from '../files/path.ts'
import { type FileRow, fileRecord } from '../files/row.ts'
import type { CompletedUpload, ProcessingUpload, Upload, UploadRecord } from './schema.ts'
import { putHeaders } from './signed-headers.ts'

const { url_ttl, ...columns } = getTableColumns(uploads)

/** A row of `uploads`. Its id is also the key of its object. */
export interface UploadRow extends RowOf<typeof columns> {}

/** SQL: the columns of an UploadRow. */
export const uploadColumns = columnsOf(columns)

/** The parameters that name an upload of a user's. */
export type OwnUpload = Params<'id' | 'user_id'>

/**
 * SQL: whether a row of `uploads` is the user's and has not ended. Each statement of a batch that ends the upload repeats
 * this condition.
 */
export function isOpen({ id, user_id }: OwnUpload): SQL {
  return sql`id = ${id} AND owner_id = ${user_id} AND state IN ('open', 'completing') AND ${isNotErased}`
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

/** Rejects a failed upload with its own error. @throws UPLOAD_MISMATCH, UPLOAD_REJECTED, ASSET_NOT_FOUND, VERSION_NOT_FOUND */
export function rejectFailed({ failure_code, failure }: UploadRow): void {
  if (failure_code !== null) throw new ApiError(failure_code, { detail: `${failure} Start a new upload.` })
}

/** When a URL of an upload is signed (`now`, Unix seconds) and how long it is valid (`ttl`, seconds): until the upload expires at most. */
export function urlLifetime(ctx: RequestContext, { expires_at }: UploadRow): { now: number; ttl: number } {
  const now = seconds(ctx)
  return { now, ttl: Math.max(1, Math.min(ctx.config.UPLOAD_URL_TTL, expires_at - now)) }
}

/** An upload with its target, as far as the target exists: a file, or an asset and the version that completion made or adds a variant to. */
export interface UploadAndTarget {
  upload: UploadRow
  file: FileRow | undefined
  asset: AssetRow | undefined
  version: VersionRow | undefined
}

/** SQL: a column of the user's upload. */
function ofUpload(column: 'file_id' | 'asset_id', { id, user_id }: OwnUpload): SQL {
  return sql`(SELECT ${sql.raw(column)} FROM uploads WHERE id = ${id} AND owner_id = ${user_id})`
}

const uploadOf = statement(
  (p: OwnUpload) =>
    sql<UploadRow>`SELECT ${uploadColumns} FROM uploads WHERE id = ${p.id} AND owner_id = ${p.user_id} AND ${isNotErased}`,
)

const fileOf = statement(
  (p: OwnUpload) =>
    sql<FileRow>`SELECT ${shownColumns} FROM files WHERE id = ${ofUpload('file_id', p)} AND ${exists(ofUpload('file_id', p))}`,
)

const assetOf = statement(
  (p: OwnUpload) =>
    sql<AssetRow>`SELECT ${assetColumns} FROM game_assets WHERE id = ${ofUpload('asset_id', p)} AND purging = 0`,
)

const versionOf = statement(
  (p: OwnUpload) =>
    sql<VersionRow>`SELECT ${versionColumns} FROM asset_versions WHERE id = (SELECT iif(upload.version IS NULL, upload.completion_id,
        (SELECT target.id FROM asset_versions AS target WHERE target.asset_id = upload.asset_id AND target.version = upload.version))
      FROM uploads AS upload WHERE upload.id = ${p.id} AND upload.owner_id = ${p.user_id})`,
)

/** The parameters that name an upload which one completion has completed. */
export type Completed = Params<'id' | 'completion_id'>

/** SQL: whether a row of `uploads` was completed by this completion. */
export function isCompleted({ id, completion_id }: Completed): SQL {
  return sql`uploads.id = ${id} AND completion_id = ${completion_id}`
}

/** The statements of a batch that read a user's upload and its target, unless the target is being purged. */
export function uploadAndTarget(own: { id: string; user_id: string }) {
  return { upload: uploadOf(own), file: fileOf(own), asset: assetOf(own), version: versionOf(own) }
}

interface UploadRows {
  upload: UploadRow[]
  file: FileRow[]
  asset: AssetRow[]
  version: VersionRow[]
}

/** The upload and target in the rows of `uploadAndTarget`; undefined when there is no such upload, or its file is gone. */
export function foundUpload(rows: UploadRows): UploadAndTarget | undefined {
  const [[upload], [file], [asset], [version]] = [rows.upload, rows.file, rows.asset, rows.version]
  if (!upload || (upload.upload_type === 'file' && !file)) return undefined
  return { upload, file, asset, version }
}

/**
 * The upload and target in the rows of `uploadAndTarget`.
 *
 * @throws UPLOAD_NOT_FOUND when there is no such upload, or its file is gone
 */
export function existingUpload(rows: UploadRows): UploadAndTarget {
  const found = foundUpload(rows)
  if (!found) throw new ApiError('UPLOAD_NOT_FOUND')
  return found
}

/** Reads an upload of the caller's, ended or open. @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED */
export async function readUpload(ctx: RequestContext, id: string): Promise<UploadAndTarget> {
  const found = foundUpload(await ctx.db.read(uploadAndTarget({ id, user_id: ctx.user_id })))
  if (!found || isOfPurgedAsset(found)) throw new ApiError('UPLOAD_NOT_FOUND')
  rejectExpired(found.upload, ctx)
  return found
}

/** Whether a completed upload made a version or a variant of an asset that has been purged since. */
function isOfPurgedAsset({ upload, asset }: UploadAndTarget): boolean {
  return upload.upload_type === 'game_asset' && upload.state === 'completed' && !asset
}

/** A part that has arrived, as the client reports it. */
export interface UploadedPart {
  /** From 1 on. */
  part_number: number
  /** The ETag of the answer to its PUT. */
  etag: string
  /** The SHA-256 of its bytes, in base64. */
  checksum_sha256?: string
}

/** The row of an upload whose content comes in parts. */
export type MultipartUpload = UploadRow & { multipart_id: string; part_size: number }

/** Whether the content comes in parts. */
export function isMultipart(upload: UploadRow): upload is MultipartUpload {
  return upload.multipart_id !== null && upload.part_size !== null
}

/** How many parts the content has. All have the same length, except the last. */
export function partCount({ size_bytes, part_size }: MultipartUpload): number {
  return Math.ceil(size_bytes / part_size)
}

/** The columns in which an upload records its parts. */
type PartColumns = Pick<UploadRow, 'parts' | 'part_checksums'>

/** The columns of these parts alone. */
export function partColumns(parts: UploadedPart[]): PartColumns {
  const checksums = parts.flatMap(({ part_number, etag, checksum_sha256 }) =>
    checksum_sha256 === undefined ? [] : [[part_number, [etag, checksum_sha256]]],
  )
  return {
    parts: JSON.stringify(Object.fromEntries(parts.map(({ part_number, etag }) => [part_number, etag]))),
    part_checksums: JSON.stringify(Object.fromEntries(checksums)),
  }
}

/** The parts that an upload has recorded, in the order of their numbers. A checksum is that of the bytes with its ETag. */
export function uploadedParts({ parts, part_checksums }: PartColumns): UploadedPart[] {
  const recorded: Record<string, string> = JSON.parse(parts)
  const checksums: Record<string, [etag: string, checksum_sha256: string]> = JSON.parse(part_checksums)
  return Object.entries(recorded)
    .map(([part_number, etag]) => {
      const [of, checksum_sha256] = checksums[part_number] ?? []
      return { part_number: Number(part_number), etag, ...(of === etag && { checksum_sha256 }) }
    })
    .sort((one, other) => one.part_number - other.part_number)
}

/** An upload as the API shows it. The record of an open upload says how to send the content. */
export async function uploadRecord(
  ctx: RequestContext,
  found: UploadAndTarget,
): Promise<z.output<typeof Upload>> {
  const { upload } = found
  const ended = endedState(upload)
  if (ended) return { ...commonRecord(found), ...ended }
  const open = { ...commonRecord(found), state: 'open' as const, method: 'PUT' as const }
  if (isMultipart(upload)) {
    const { part_size } = upload
    return {
      ...open,
      multipart: { part_size, part_count: partCount(upload), uploaded: uploadedParts(upload) },
    }
  }
  const headers = putHeaders(upload, nameOf(found), ctx.config.COPY_GUARDS_PUT)
  const { now, ttl } = urlLifetime(ctx, upload)
  const { url, expires_at: url_expires_at } = await ctx.sign.upload(upload.id, headers, now, ttl)
  return { ...open, url, url_expires_at, headers }
}

/** The members of every upload. */
function commonRecord({ upload, file }: UploadAndTarget): z.output<typeof UploadRecord> {
  const { id, upload_type, size_bytes, expires_at } = upload
  return { id, upload_type, size_bytes, expires_at, ...(file && { file: fileRecord(file) }) }
}

/** The states of an upload that takes no more content; undefined for an upload that does. */
function endedState({ state, check_state, failure }: UploadRow) {
  if (state === 'failed')
    return {
      state,
      ...(check_state && {
        processing_state: 'failed' as const,
        ...(failure !== null && { reason: failure }),
      }),
    }
  if (state === 'completed') return { state, ...(check_state && { processing_state: 'ready' as const }) }
  if (check_state === null) return undefined
  const processing_state = check_state === 'waiting' ? ('processing' as const) : check_state
  return { state: 'processing' as const, processing_state }
}

/** The record of an upload in the answer to its start. It has recorded parts only when the start is a retry. */
export async function startedRecord(
  ctx: RequestContext,
  started: UploadAndTarget,
): Promise<z.output<typeof Upload>> {
  const record = await uploadRecord(ctx, started)
  if (!('multipart' in record)) return record
  const { uploaded, ...parts } = record.multipart
  return { ...record, multipart: uploaded?.length ? record.multipart : parts }
}

/** An upload whose content is being checked, as the API shows it: with its file. */
export function processingRecord(found: UploadAndTarget): z.output<typeof ProcessingUpload> {
  const upload = {
    ...commonRecord(found),
    state: 'processing' as const,
    processing_state: 'processing' as const,
  }
  return { upload, ...(found.file && { file: fileRecord(found.file) }) }
}

/**
 * A completed upload as the API shows it: with its file, or with the asset and its new version or that with the new variant.
 *
 * @throws ASSET_NOT_FOUND when the asset has been purged
 */
export function completedRecord(
  found: UploadAndTarget,
  previews: PreviewUrls,
): z.output<typeof CompletedUpload> {
  const { file, asset, version } = found
  const processing_state = found.upload.check_state && { processing_state: 'ready' as const }
  const upload = { ...commonRecord(found), state: 'completed' as const, ...processing_state }
  if (file) return { upload, file: fileRecord(file) }
  if (!asset || !version) throw new ApiError('ASSET_NOT_FOUND')
  return { upload, asset: assetRecord(asset, previews), version: versionRecord(version) }
}

/** The name that a download of the content would have. */
function nameOf({ upload, file, asset }: UploadAndTarget): string {
  return file?.name ?? upload.name ?? asset?.name ?? upload.id
}

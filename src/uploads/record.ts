import type { z } from '@hono/zod-openapi'
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import {
  type AssetRow,
  assetColumns,
  assetRecord,
  type VersionRow,
  versionColumns,
  versionRecord,
} from '../assets/record.ts'
import { type RequestContext, seconds } from '../context.ts'
import { isNotErased } from '../db/marks.ts'
import { uploads } from '../db/schema.ts'
import { columnsOf, type RowOf } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { type FileRow, fileRecord } from '../files/record.ts'
import { exists, isNotPurging } from '../files/tree/lifecycle.ts'
import { shownColumns } from '../files/tree/visibility.ts'
import { isMultipart, partCount, uploadedParts } from './multipart.ts'
import type { CompletedUpload, Upload } from './schema.ts'
import { putHeaders } from './signed-headers.ts'

const { url_ttl, ...columns } = getTableColumns(uploads)

/** A row of `uploads`. Its id is the key of its object, too. */
export interface UploadRow extends RowOf<typeof columns> {}

/** SQL: the columns of an UploadRow. */
export const uploadColumns = columnsOf(columns)

/** An upload, with what it fills as far as that is there: a file; or an asset, and the version that it has become. */
export interface UploadAndTarget {
  upload: UploadRow
  file: FileRow | undefined
  asset: AssetRow | undefined
  version: VersionRow | undefined
}

/** The statements that read a caller's upload and what it fills unless that is being purged, for a batch. */
export function uploadAndTarget(id: string, owner_id: string) {
  const of = (column: 'file_id' | 'asset_id' | 'completion_id') =>
    sql`(SELECT ${sql.raw(column)} FROM uploads WHERE id = ${id} AND owner_id = ${owner_id})`
  return {
    upload: sql<UploadRow>`SELECT ${uploadColumns} FROM uploads WHERE id = ${id} AND owner_id = ${owner_id} AND ${isNotErased}`,
    file: sql<FileRow>`SELECT ${shownColumns} FROM files WHERE id = ${of('file_id')} AND ${exists(of('file_id'))}`,
    asset: sql<AssetRow>`SELECT ${assetColumns} FROM game_assets WHERE id = ${of('asset_id')} AND purging = 0`,
    version: sql<VersionRow>`SELECT ${versionColumns} FROM asset_versions WHERE id = ${of('completion_id')}`,
  }
}

/** What those statements have read; undefined when there is no such upload, or its file is gone. */
export function foundUpload(rows: {
  upload: UploadRow[]
  file: FileRow[]
  asset: AssetRow[]
  version: VersionRow[]
}): UploadAndTarget | undefined {
  const [[upload], [file], [asset], [version]] = [rows.upload, rows.file, rows.asset, rows.version]
  if (!upload || (upload.upload_type === 'file' && !file)) return undefined
  return { upload, file, asset, version }
}

/** SQL: whether the caller's upload has not ended. To be repeated by each statement of a batch that ends it. */
export function isOpen(id: string, owner_id: string): SQL {
  return sql`id = ${id} AND owner_id = ${owner_id} AND state IN ('open', 'completing') AND ${isNotErased}`
}

/** SQL: whether an upload has not been erased, nor is its file, if it has one, being purged: that ends the upload. */
export const targetIsThere = sql`${isNotErased} AND (file_id IS NULL OR ${isNotPurging(sql`uploads.file_id`)})`

/** An upload as the API shows it: an open one with how to send the content, valid until it expires at the latest. */
export async function uploadRecord(
  ctx: RequestContext,
  found: UploadAndTarget,
): Promise<z.output<typeof Upload>> {
  const { upload, file } = found
  const { id, upload_type, size_bytes, expires_at } = upload
  const state = upload.state === 'completing' ? 'open' : upload.state
  const always = { id, upload_type, state, size_bytes, expires_at, ...(file && { file: fileRecord(file) }) }
  if (state !== 'open') return always
  if (isMultipart(upload))
    return {
      ...always,
      method: 'PUT',
      multipart: {
        part_size: upload.part_size,
        part_count: partCount(upload),
        uploaded: uploadedParts(upload),
      },
    }
  const headers = putHeaders(upload, nameOf(found))
  const { now, ttl } = urlLife(ctx, upload)
  const { url, expires_at: url_expires_at } = await ctx.sign.upload(id, headers, now, ttl)
  return { ...always, method: 'PUT', url, url_expires_at, headers }
}

/** As `uploadRecord`, for the answer to a start: nothing has arrived, unless it is a retry. */
export async function startedRecord(
  ctx: RequestContext,
  started: UploadAndTarget,
): Promise<z.output<typeof Upload>> {
  const { multipart, ...record } = await uploadRecord(ctx, started)
  if (!multipart) return record
  const { uploaded, ...parts } = multipart
  return { ...record, multipart: uploaded?.length ? multipart : parts }
}

/** What completing an upload answers: the upload with the file, or with the asset and its new version. */
export async function completedRecord(
  ctx: RequestContext,
  found: UploadAndTarget,
): Promise<z.output<typeof CompletedUpload>> {
  const { file, asset, version } = found
  const upload = await uploadRecord(ctx, found)
  if (file) return { upload, file: fileRecord(file) }
  if (!asset || !version) throw new ApiError('ASSET_NOT_FOUND')
  return { upload, asset: assetRecord(asset), version: versionRecord(version) }
}

/** From when on and for how many seconds a URL of this upload is signed: never past its end. */
export function urlLife(ctx: RequestContext, { expires_at }: UploadRow): { now: number; ttl: number } {
  const now = seconds(ctx)
  return { now, ttl: Math.max(1, Math.min(ctx.config.UPLOAD_URL_TTL, expires_at - now)) }
}

function nameOf({ upload, file, asset }: UploadAndTarget): string {
  return file?.name ?? upload.name ?? asset?.name ?? upload.id
}

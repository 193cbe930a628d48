import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { isNotErased } from '../../platform/db/marks.ts'
import { uploads } from '../../platform/db/schema.ts'
import { columnsOf, keptStatements, type RowOf } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { type AssetRow, assetColumns, type VersionRow, versionColumns } from '../assets/record.ts'
import type { FileRow } from '../files/record.ts'
import { exists, isNotPurging } from '../files/tree/lifecycle.ts'
import { shownColumns } from '../files/tree/visibility.ts'

const { url_ttl, ...columns } = getTableColumns(uploads)

/** A row of `uploads`. Its id is also the key of its object. */
export interface UploadRow extends RowOf<typeof columns> {}

/** SQL: the columns of an UploadRow. */
export const uploadColumns = columnsOf(columns)

/** An upload with what it fills, as far as that exists: a file; or an asset, and the version that completion made. */
export interface UploadAndTarget {
  upload: UploadRow
  file: FileRow | undefined
  asset: AssetRow | undefined
  version: VersionRow | undefined
}

/** The statements that read a caller's upload and what it fills, except what is being purged; for a batch. */
export function uploadAndTarget(id: string, owner_id: string) {
  const values = { id, owner_id }
  return {
    upload: keptUpload(
      'upload',
      () => sql`SELECT ${uploadColumns} FROM uploads WHERE ${own} AND ${isNotErased}`,
      values,
    ),
    file: keptFile(
      'file',
      () =>
        sql`SELECT ${shownColumns} FROM files WHERE id = ${ofUpload('file_id')} AND ${exists(ofUpload('file_id'))}`,
      values,
    ),
    asset: keptAsset(
      'asset',
      () => sql`SELECT ${assetColumns} FROM game_assets WHERE id = ${ofUpload('asset_id')} AND purging = 0`,
      values,
    ),
    version: keptVersion(
      'version',
      () => sql`SELECT ${versionColumns} FROM asset_versions WHERE id = ${ofUpload('completion_id')}`,
      values,
    ),
  }
}

const keptUpload = keptStatements<UploadRow>()
const keptFile = keptStatements<FileRow>()
const keptAsset = keptStatements<AssetRow>()
const keptVersion = keptStatements<VersionRow>()
const own = sql`id = ${sql.placeholder('id')} AND owner_id = ${sql.placeholder('owner_id')}`

function ofUpload(column: 'file_id' | 'asset_id' | 'completion_id'): SQL {
  return sql`(SELECT ${sql.raw(column)} FROM uploads WHERE ${own})`
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

/** @throws the error of a failed upload: UPLOAD_MISMATCH, UPLOAD_REJECTED or ASSET_NOT_FOUND */
export function rejectFailed({ failure_code, failure }: UploadRow): void {
  if (failure_code !== null) throw new ApiError(failure_code, { detail: `${failure} Start a new upload.` })
}

import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { isNotErased } from '../../platform/db/marks.ts'
import { uploads } from '../../platform/db/schema.ts'
import { columnsOf, keptStatements, type RowOf } from '../../platform/db/sql.ts'
import { type AssetRow, assetColumns, type VersionRow, versionColumns } from '../assets/row.ts'
import type { FileRow } from '../files/row.ts'
import { exists } from '../files/tree/lifecycle.ts'
import { shownColumns } from '../files/tree/visibility.ts'

const { url_ttl, ...columns } = getTableColumns(uploads)

/** A row of `uploads`. Its id is also the key of its object. */
export interface UploadRow extends RowOf<typeof columns> {}

/** SQL: the columns of an UploadRow. */
export const uploadColumns = columnsOf(columns)

/** An upload with its target, as far as the target exists: a file, or an asset and the version that completion made. */
export interface UploadAndTarget {
  upload: UploadRow
  file: FileRow | undefined
  asset: AssetRow | undefined
  version: VersionRow | undefined
}

/** The statements of a batch that read a caller's upload and its target, unless the target is being purged. */
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

/** SQL: a column of the caller's upload. */
function ofUpload(column: 'file_id' | 'asset_id' | 'completion_id'): SQL {
  return sql`(SELECT ${sql.raw(column)} FROM uploads WHERE ${own})`
}

/** The upload and target in the rows of `uploadAndTarget`; undefined when there is no such upload, or its file is gone. */
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

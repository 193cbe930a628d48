import type { z } from '@hono/zod-openapi'
import sql, { type Sql } from 'sql-template-tag'
import { notGone } from '../files/path.ts'
import { type FileRow, fileColumns, fileRecord } from '../files/record.ts'
import { seconds, type Work } from '../http/context.ts'
import { contentDisposition } from '../storage/disposition.ts'
import type { Upload } from './schema.ts'

/** A row of `uploads`. Its id is the key of its object, too. */
export interface UploadRow {
  id: string
  owner_id: string
  upload_type: 'file' | 'game_asset'
  state: 'open' | 'completing' | 'completed' | 'failed'
  file_id: string | null
  size_bytes: number
  mime_type: string
  checksum_sha256: string | null
  failure: string | null
  created_at: number
  expires_at: number
}

/** An upload and the file that it fills. */
export interface UploadOfFile {
  upload: UploadRow
  file: FileRow
}

export const uploadColumns = sql`id, owner_id, upload_type, state, file_id, size_bytes, mime_type,
  checksum_sha256, failure, created_at, expires_at`

/** The statements that read a caller's upload, and its file unless that is being purged, for a batch. */
export function uploadAndPresentFile(id: string, owner_id: string): [Sql, Sql] {
  const [upload, file] = uploadAndFile(id, owner_id)
  const file_id = sql`(SELECT file_id FROM uploads WHERE id = ${id} AND owner_id = ${owner_id})`
  return [upload, sql`${file} AND ${notGone(file_id)}`]
}

/** The statements that read a caller's upload and its file, for a batch. */
export function uploadAndFile(id: string, owner_id: string): [Sql, Sql] {
  return [
    sql`SELECT ${uploadColumns} FROM uploads WHERE id = ${id} AND owner_id = ${owner_id}`,
    sql`SELECT ${fileColumns} FROM files
      WHERE id = (SELECT file_id FROM uploads WHERE id = ${id} AND owner_id = ${owner_id})`,
  ]
}

/** SQL: whether the caller's upload has not ended. To be repeated by each statement of a batch that ends it. */
export function isOpen(id: string, owner_id: string): Sql {
  return sql`id = ${id} AND owner_id = ${owner_id} AND state IN ('open', 'completing')`
}

/** An upload as the API shows it: an open one with a freshly signed URL, valid until it expires at the latest. */
export async function uploadRecord(
  work: Work,
  { upload, file }: UploadOfFile,
): Promise<z.output<typeof Upload>> {
  const { id, upload_type, size_bytes, expires_at } = upload
  if (upload.state === 'completed' || upload.state === 'failed')
    return { id, upload_type, state: upload.state, size_bytes, expires_at, file: fileRecord(file) }
  const headers = uploadHeaders(upload, file.name)
  const now = seconds(work)
  const ttl = Math.max(1, Math.min(work.config.UPLOAD_URL_TTL, expires_at - now))
  const { url, expires_at: url_expires_at } = await work.sign.upload(id, headers, now, ttl)
  return {
    id,
    upload_type,
    state: 'open',
    size_bytes,
    expires_at,
    method: 'PUT',
    url,
    url_expires_at,
    headers,
    file: fileRecord(file),
  }
}

/**
 * The headers that the PUT is signed with: so the URL creates its object once, with the declared size and type,
 * and never overwrites one (architecture, "Concurrency rules" 7). R2 checks and keeps the checksum.
 */
function uploadHeaders(upload: UploadRow, name: string): Record<string, string> {
  return {
    'Content-Length': String(upload.size_bytes),
    'Content-Type': upload.mime_type,
    'Content-Disposition': contentDisposition(name, upload.mime_type),
    'If-None-Match': '*',
    ...(upload.checksum_sha256 && { 'x-amz-checksum-sha256': upload.checksum_sha256 }),
  }
}

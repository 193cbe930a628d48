import { type CopyGuard, guardHeaders } from '../../platform/config/copy-guards.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'

/** What of an upload the headers of its PUT follow from. */
export interface SignedContent {
  /** The id of the upload. */
  id: string
  size_bytes: number
  mime_type: string
  checksum_sha256: string | null
}

/**
 * The headers that a PUT is signed with. The URL creates its object once, with the declared size and type, and never
 * overwrites one (docs/architecture.md#writing-without-races). R2 checks and keeps the checksum. Completion requires
 * the metadata.
 */
export function putHeaders(
  { id, size_bytes, mime_type, checksum_sha256 }: SignedContent,
  name: string,
  guards: readonly CopyGuard[],
): Record<string, string> {
  return {
    'Content-Length': String(size_bytes),
    'Content-Type': mime_type,
    'Content-Disposition': contentDisposition(name, mime_type),
    'If-None-Match': '*',
    ...(checksum_sha256 && { 'x-amz-checksum-sha256': checksum_sha256 }),
    'x-amz-meta-upload': id,
    ...guardHeaders(guards),
  }
}

/** The headers that the PUT of a part is signed with: its URL takes exactly `size_bytes`. */
export function partHeaders(size_bytes: number, guards: readonly CopyGuard[]): Record<string, string> {
  return { 'Content-Length': String(size_bytes), ...guardHeaders(guards) }
}

/** The metadata of an upload's object: set by the signed headers, or by `createMultipartUpload`. */
export function signedMetadata(upload_id: string, mime_type: string, name?: string) {
  return {
    httpMetadata: { contentType: mime_type, contentDisposition: contentDisposition(name, mime_type) },
    customMetadata: { upload: upload_id },
  }
}

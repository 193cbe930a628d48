import { type CopyGuard, guardHeaders } from '../../platform/config/copy-guards.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'

/** The columns of an upload that decide the headers of its PUT. */
export interface SignedContent {
  /** The id of the upload. */
  id: string
  size_bytes: number
  mime_type: string
  checksum_sha256: string | null
}

/**
 * The headers that a PUT is signed with. The URL creates its object once, with the declared size and type, and never
 * overwrites an object (docs/architecture.md#writing-without-races). R2 checks the checksum and keeps it. Completion
 * requires the metadata.
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

/** The headers that the PUT of a part of exactly `size_bytes` is signed with. */
export function partHeaders(size_bytes: number, guards: readonly CopyGuard[]): Record<string, string> {
  return { 'Content-Length': String(size_bytes), ...guardHeaders(guards) }
}

/** The metadata of an object that is uploaded in parts: the same as `putHeaders` gives the object of a single PUT. */
export function signedMetadata(upload_id: string, mime_type: string, name?: string) {
  return {
    httpMetadata: { contentType: mime_type, contentDisposition: contentDisposition(name, mime_type) },
    customMetadata: { upload: upload_id },
  }
}

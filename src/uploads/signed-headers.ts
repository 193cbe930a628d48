import { contentDisposition } from '../storage/content-disposition.ts'
import type { UploadRow } from './record.ts'

/**
 * Headers by which a signed PUT can't be made a copy. S3 copies another object when a PUT carries `x-amz-copy-source`,
 * which R2 may accept without a signature, and a copy ignores `If-None-Match`. Each of these refuses every copy by
 * itself, and means nothing to a PUT that brings its own bytes: no object has this entity tag, and no bucket has this
 * owner (R2 implements the second for no copy, and the first for whole objects only; it refuses what it does not
 * implement).
 */
const refuseCopy = {
  'x-amz-copy-source-if-match': '"none"',
  'x-amz-source-expected-bucket-owner': 'none',
}

/**
 * The headers that the PUT is signed with: so the URL creates its object once, with the declared size and type,
 * and never overwrites one (architecture, "Concurrency rules" 7). R2 checks and keeps the checksum. Completion
 * looks for the metadata, which a copy brings from its source, as the directive says.
 */
export function putHeaders(upload: UploadRow, name: string): Record<string, string> {
  return {
    'Content-Length': String(upload.size_bytes),
    'Content-Type': upload.mime_type,
    'Content-Disposition': contentDisposition(name, upload.mime_type),
    'If-None-Match': '*',
    ...(upload.checksum_sha256 && { 'x-amz-checksum-sha256': upload.checksum_sha256 }),
    'x-amz-meta-upload': upload.id,
    'x-amz-metadata-directive': 'COPY',
    ...refuseCopy,
  }
}

/** The headers that the PUT of a part is signed with: it takes exactly as many bytes. */
export function partHeaders(size_bytes: number): Record<string, string> {
  return { 'Content-Length': String(size_bytes), ...refuseCopy }
}

/** What the object of an upload carries when it was made as signed, or as `createMultipartUpload` was told. */
export function signedMetadata(upload_id: string, mime_type: string, name?: string) {
  return {
    httpMetadata: { contentType: mime_type, contentDisposition: contentDisposition(name, mime_type) },
    customMetadata: { upload: upload_id },
  }
}

/** The headers that R2 keeps with an object and serves again, beside Cache-Control. */
const keptHeaders = [
  ['contentEncoding', 'Content-Encoding'],
  ['contentLanguage', 'Content-Language'],
  ['cacheExpiry', 'Expires'],
] as const

/** What fetch adds to a request that has If-None-Match (Fetch standard, "HTTP-network-or-cache fetch"). */
const ADDED_BY_FETCH = 'no-cache'

/** What R2 tells of an object. In the simulator the storage class is empty, and there is never a key. */
type Told = Pick<R2Object, 'httpMetadata' | 'customMetadata'> &
  Partial<Pick<R2Object, 'storageClass' | 'ssecKeyMd5'>>

/**
 * What an object carries that was not signed, in words for the client; undefined when there is nothing. The name in
 * Content-Disposition is not compared: it is the one that the file had when the URL was signed.
 */
export function foreignMetadata(
  { httpMetadata = {}, customMetadata = {}, storageClass, ssecKeyMd5 }: Told,
  { id, mime_type }: Pick<UploadRow, 'id' | 'mime_type'>,
): string | undefined {
  if (storageClass && storageClass !== 'Standard') return 'The storage class is not Standard.'
  if (ssecKeyMd5 !== undefined)
    return 'Encryption with a key of the client’s is not among the signed headers.'
  const { cacheControl } = httpMetadata
  if (cacheControl !== undefined && cacheControl !== ADDED_BY_FETCH)
    return 'Cache-Control is not among the signed headers.'
  const [, kept] = keptHeaders.find(([member]) => httpMetadata[member] !== undefined) ?? []
  if (kept) return `${kept} is not among the signed headers.`
  const [type] = httpMetadata.contentDisposition?.split(';') ?? []
  if (type !== contentDisposition(undefined, mime_type)) return 'Content-Disposition is not as it was signed.'
  const isAsSigned = customMetadata.upload === id && Object.keys(customMetadata).length === 1
  return isAsSigned ? undefined : 'The metadata is not as it was signed.'
}

import { contentDisposition } from '../storage/content-disposition.ts'
import type { UploadRow } from './read.ts'

/**
 * Headers that keep a signed PUT from becoming a copy. S3 copies another object when a PUT has `x-amz-copy-source`; R2
 * may accept that header unsigned, and a copy ignores `If-None-Match`. Each of these two makes every copy fail and
 * doesn't affect a PUT with a body: no object has this entity tag, and no bucket has this owner. (R2 implements the
 * second for no copy and the first for whole objects only, and fails what it does not implement.)
 */
const preventCopy = {
  'x-amz-copy-source-if-match': '"none"',
  'x-amz-source-expected-bucket-owner': 'none',
}

/**
 * The headers that a PUT is signed with. The URL creates its object once, with the declared size and type, and never
 * overwrites one (architecture, "Concurrency rules" 7). R2 checks and keeps the checksum. Completion requires the
 * metadata, which a copy would take from its source (`x-amz-metadata-directive`).
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
    ...preventCopy,
  }
}

/** The headers that the PUT of a part is signed with: its URL takes exactly `size_bytes`. */
export function partHeaders(size_bytes: number): Record<string, string> {
  return { 'Content-Length': String(size_bytes), ...preventCopy }
}

/** The metadata of an upload's object: set by the signed headers, or by `createMultipartUpload`. */
export function signedMetadata(upload_id: string, mime_type: string, name?: string) {
  return {
    httpMetadata: { contentType: mime_type, contentDisposition: contentDisposition(name, mime_type) },
    customMetadata: { upload: upload_id },
  }
}

/** The headers beside Cache-Control that R2 keeps with an object and serves again. */
const keptHeaders = [
  ['contentEncoding', 'Content-Encoding'],
  ['contentLanguage', 'Content-Language'],
  ['cacheExpiry', 'Expires'],
] as const

/**
 * The Cache-Control that browsers add to a request with If-None-Match: `no-cache` as the Fetch standard says
 * ("HTTP-network-or-cache fetch"), `max-age=0` in Chromium.
 */
const addedByBrowsers = ['no-cache', 'max-age=0']

/** What R2 knows about an object. In the simulator the storage class is empty, and there is never a key. */
type ObjectInfo = Pick<R2Object, 'httpMetadata' | 'customMetadata'> &
  Partial<Pick<R2Object, 'storageClass' | 'ssecKeyMd5'>>

/**
 * What an object has that was not signed, as a message for the client; undefined when there is nothing. The name in
 * Content-Disposition is not compared, because the file may have been renamed since the URL was signed.
 */
export function foreignMetadata(
  { httpMetadata = {}, customMetadata = {}, storageClass, ssecKeyMd5 }: ObjectInfo,
  { id, mime_type }: Pick<UploadRow, 'id' | 'mime_type'>,
): string | undefined {
  if (storageClass && storageClass !== 'Standard') return 'The storage class is not Standard.'
  if (ssecKeyMd5 !== undefined)
    return 'Encryption with a key of the client’s is not among the signed headers.'
  const { cacheControl } = httpMetadata
  if (cacheControl !== undefined && !addedByBrowsers.includes(cacheControl))
    return 'Cache-Control is not among the signed headers.'
  const [, kept] = keptHeaders.find(([member]) => httpMetadata[member] !== undefined) ?? []
  if (kept) return `${kept} is not among the signed headers.`
  const [type] = httpMetadata.contentDisposition?.split(';') ?? []
  if (type !== contentDisposition(undefined, mime_type)) return 'Content-Disposition is not as it was signed.'
  const isAsSigned = customMetadata.upload === id && Object.keys(customMetadata).length === 1
  return isAsSigned ? undefined : 'The metadata is not as it was signed.'
}

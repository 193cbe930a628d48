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

/** The headers that R2 keeps with an object and serves again, besides Content-Type, Content-Disposition and Cache-Control. */
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

/** An object's metadata in R2. In the simulator the storage class is empty, and no object is encrypted with a client's key. */
type ObjectInfo = Pick<R2Object, 'httpMetadata' | 'customMetadata'> &
  Partial<Pick<R2Object, 'storageClass' | 'ssecKeyMd5'>>

/**
 * Which metadata of an object was not signed, as a message for the client; undefined when all was. The name in
 * Content-Disposition is not compared, because the file may have been renamed since the URL was signed.
 */
export function foreignMetadata(
  { httpMetadata = {}, customMetadata = {}, storageClass, ssecKeyMd5 }: ObjectInfo,
  { id, mime_type }: Pick<SignedContent, 'id' | 'mime_type'>,
): string | undefined {
  if (storageClass && storageClass !== 'Standard') return 'The storage class is not Standard.'
  if (ssecKeyMd5 !== undefined) return 'Encryption with the client’s own key is not among the signed headers.'
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

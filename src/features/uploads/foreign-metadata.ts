import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import type { UploadRow } from './row.ts'

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

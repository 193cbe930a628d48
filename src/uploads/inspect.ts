import type { StorageContext } from '../context.ts'
import { unavailable } from '../errors.ts'
import { withTimeout } from '../lib/timeout.ts'
import { isPicture } from './limits.ts'
import type { UploadRow } from './record.ts'
import { foreignMetadata } from './signed-headers.ts'

/** What the bucket holds for an upload, against what was declared. */
export type Verdict =
  | { verdict: 'as declared' }
  /** Nothing, and what the client can do about it. */
  | { verdict: 'missing'; detail: string }
  | { verdict: 'mismatch'; failure: string }

const missing: Verdict = {
  verdict: 'missing',
  detail: 'Send the content to the upload’s url, then complete it again.',
}

/** As many bytes as a picture format needs to be told. */
const FIRST_BYTES = 4_096

/** Content that is read as a whole is given as much longer as it takes at this speed: 10 MB a second. */
const SLOWEST_BYTES_PER_MS = 10_000

/**
 * Looks at the stored object (decisions, "Uploads"): its size, type and metadata, the first bytes of a picture, and
 * the checksum, which R2 keeps when the PUT carried one and which is computed from the stream where it did not. At
 * most two calls to R2, and never the whole content in memory.
 *
 * @throws UNAVAILABLE when R2 does not answer
 */
export async function verifyObject(
  ctx: StorageContext,
  upload: UploadRow,
  asset_type: string,
): Promise<Verdict> {
  try {
    return await verified(ctx, upload, asset_type)
  } catch (error) {
    throw unavailable('The content could not be looked at. Complete the upload again.', error)
  }
}

async function verified(
  { bucket, config }: StorageContext,
  upload: UploadRow,
  asset_type: string,
): Promise<Verdict> {
  const { CALL_TIMEOUT_MS } = config
  const object = await withTimeout<Picture | R2Object | null>(
    CALL_TIMEOUT_MS,
    isPicture(asset_type) ? picture(bucket, upload.id) : bucket.head(upload.id),
  )
  if (!object) return missing
  const stored = object.httpMetadata?.contentType
  const { size_bytes, mime_type, checksum_sha256 } = upload

  if (object.size !== size_bytes)
    return mismatch(`${size_bytes} bytes were declared, ${object.size} arrived.`)
  if (stored !== mime_type) return mismatch(`${mime_type} was declared, ${stored} arrived.`)
  const foreign = foreignMetadata(object, upload)
  if (foreign) return mismatch(foreign)
  if ('format' in object && object.format !== mime_type)
    return mismatch(`${mime_type} was declared, the first bytes are of ${object.format}.`)
  if (checksum_sha256) {
    const reading_ms = CALL_TIMEOUT_MS + size_bytes / SLOWEST_BYTES_PER_MS
    const found = object.checksums.sha256 ?? (await withTimeout(reading_ms, sha256(bucket, upload.id)))
    if (!found) return missing
    if (base64(found) !== checksum_sha256) return mismatch(`The SHA-256 of what arrived is ${base64(found)}.`)
  }
  return { verdict: 'as declared' }
}

interface Picture extends Pick<R2Object, 'size' | 'httpMetadata' | 'customMetadata' | 'checksums'> {
  /** The MIME type that the first bytes tell. */
  format: string
}

async function picture(bucket: R2Bucket, object_key: string): Promise<Picture | null> {
  const object = await bucket.get(object_key, { range: { offset: 0, length: FIRST_BYTES } })
  if (!object) return null
  const { size, httpMetadata, customMetadata, checksums } = object
  const { fileTypeFromBuffer } = await import('file-type') // slow to load, and few requests need it
  const found = (await fileTypeFromBuffer(await object.arrayBuffer()))?.mime ?? 'no known picture format'
  // An animated PNG is a PNG that holds more.
  const format = found === 'image/apng' ? 'image/png' : found
  return { size, httpMetadata, customMetadata, checksums, format }
}

function mismatch(failure: string): Verdict {
  return { verdict: 'mismatch', failure }
}

async function sha256(bucket: R2Bucket, object_key: string): Promise<ArrayBuffer | undefined> {
  const object = await bucket.get(object_key)
  if (!object) return undefined
  const stream = new crypto.DigestStream('SHA-256')
  // Both at once: when the content breaks off, both fail, and nobody would hear of the other.
  const [digest] = await Promise.all([stream.digest, object.body.pipeTo(stream)])
  return digest
}

function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}

import type { StorageContext } from '../../platform/context.ts'
import { unavailable } from '../../platform/errors.ts'
import { base64 } from '../../platform/lib/base64.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import { contentKinds } from './content-kinds.ts'
import { foreignMetadata } from './foreign-metadata.ts'
import { joinParts, type UploadedPart, uploadedParts } from './multipart.ts'
import { FIRST_BYTES, pictureFormat } from './picture-format.ts'
import type { UploadAndTarget, UploadRow } from './row.ts'

/** The result of comparing the stored object with the declared content. */
type Inspection =
  | { outcome: 'as declared' }
  /** There is no object; `detail` is the client's next step. */
  | { outcome: 'missing'; detail: string }
  | { outcome: 'mismatch'; failure: string }

const missing: Inspection = {
  outcome: 'missing',
  detail: 'Send the content to the upload’s url, then complete it again.',
}

/**
 * Joins the parts of an upload if it has parts, then compares its object with the declared content
 * (docs/conformance.md#uploads). The object is read even when the parts can't be joined, because an interrupted completion
 * may have joined them before. Reading takes at most two calls to R2, and never holds the whole content in memory.
 *
 * @throws UNAVAILABLE
 */
export async function inspect(
  ctx: StorageContext,
  { upload, file }: UploadAndTarget,
  parts: UploadedPart[] = uploadedParts(upload),
): Promise<Inspection> {
  const obstacle = await joinParts(ctx, upload, parts)
  const isPicture =
    file !== undefined && file.asset_type !== 'folder' && contentKinds[file.asset_type].isPicture
  try {
    const inspection = await compare(ctx, upload, isPicture === true)
    return inspection.outcome === 'missing' && obstacle
      ? { outcome: 'missing', detail: obstacle }
      : inspection
  } catch (error) {
    throw unavailable('The content could not be read. Complete the upload again.', error)
  }
}

/** The slowest rate at which a whole object is read before the call times out. */
const MIN_BYTES_PER_MS = 10_000

async function compare(
  { bucket, config }: StorageContext,
  upload: UploadRow,
  isPicture: boolean,
): Promise<Inspection> {
  const { CALL_TIMEOUT_MS } = config
  const object = await withTimeout<Picture | R2Object | null>(
    CALL_TIMEOUT_MS,
    isPicture ? readPicture(bucket, upload.id) : bucket.head(upload.id),
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
    const reading_ms = CALL_TIMEOUT_MS + size_bytes / MIN_BYTES_PER_MS
    // R2 keeps a checksum that came with the PUT.
    const found = object.checksums.sha256 ?? (await withTimeout(reading_ms, sha256(bucket, upload.id)))
    if (!found) return missing
    if (base64(found) !== checksum_sha256) return mismatch(`The SHA-256 of what arrived is ${base64(found)}.`)
  }
  return { outcome: 'as declared' }
}

function mismatch(failure: string): Inspection {
  return { outcome: 'mismatch', failure }
}

interface Picture extends Pick<R2Object, 'size' | 'httpMetadata' | 'customMetadata' | 'checksums'> {
  /** The MIME type by the first bytes. */
  format: string
}

/** Reads an object's metadata, and recognises its picture format. Null when there is no object. */
async function readPicture(bucket: R2Bucket, object_key: string): Promise<Picture | null> {
  const object = await bucket.get(object_key, { range: { offset: 0, length: FIRST_BYTES } })
  if (!object) return null
  const { size, httpMetadata, customMetadata, checksums } = object
  const format = await pictureFormat(await object.arrayBuffer())
  return { size, httpMetadata, customMetadata, checksums, format }
}

async function sha256(bucket: R2Bucket, object_key: string): Promise<ArrayBuffer | undefined> {
  const object = await bucket.get(object_key)
  if (!object) return undefined
  const stream = new crypto.DigestStream('SHA-256')
  // When the content breaks off, both promises reject; awaiting only one would leave the other unhandled.
  const [digest] = await Promise.all([stream.digest, object.body.pipeTo(stream)])
  return digest
}

import type { StorageContext } from '../../platform/context.ts'
import { unavailable } from '../../platform/errors.ts'
import { base64 } from '../../platform/lib/base64.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import type { Picture } from '../../platform/pictures/formats.ts'
import { readPicture } from '../../platform/pictures/read.ts'
import { contentKinds } from './content-kinds.ts'
import { foreignMetadata } from './foreign-metadata.ts'
import { joinParts, type UploadedPart, uploadedParts } from './multipart.ts'
import { type PictureLimits, pictureFailure } from './picture-limits.ts'
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
  const kind = file?.asset_type
  const limits = kind === undefined || kind === 'folder' ? undefined : contentKinds[kind].picture
  try {
    const inspection = await compare(ctx, upload, limits)
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
  limits: PictureLimits | undefined,
): Promise<Inspection> {
  const { CALL_TIMEOUT_MS } = config
  const object = await withTimeout<R2ObjectBody | R2Object | null>(
    CALL_TIMEOUT_MS,
    limits ? bucket.get(upload.id) : bucket.head(upload.id),
  )
  if (!object) return missing
  const { size_bytes, mime_type, checksum_sha256 } = upload
  const reading_ms = CALL_TIMEOUT_MS + size_bytes / MIN_BYTES_PER_MS

  const foreign = metadataFailure(object, upload)
  if (foreign && 'body' in object) await object.body.cancel()
  if (foreign) return mismatch(foreign)
  if (limits && 'body' in object) {
    const picture = await withTimeout(reading_ms, pictureIn(object.body))
    const failure = pictureFailure(config, limits, picture, mime_type)
    if (failure) return mismatch(failure)
  }
  if (checksum_sha256) {
    // R2 keeps a checksum that came with the PUT.
    const found = object.checksums.sha256 ?? (await withTimeout(reading_ms, sha256(bucket, upload.id)))
    if (!found) return missing
    if (base64(found) !== checksum_sha256) return mismatch(`The SHA-256 of what arrived is ${base64(found)}.`)
  }
  return { outcome: 'as declared' }
}

/** What the size and the metadata of an object have that was not declared; undefined when there is nothing. */
function metadataFailure(object: R2Object, upload: UploadRow): string | undefined {
  const { size_bytes, mime_type } = upload
  const stored = object.httpMetadata?.contentType
  if (object.size !== size_bytes) return `${size_bytes} bytes were declared, ${object.size} arrived.`
  if (stored !== mime_type) return `${mime_type} was declared, ${stored} arrived.`
  return foreignMetadata(object, upload)
}

function mismatch(failure: string): Inspection {
  return { outcome: 'mismatch', failure }
}

/** Reads a picture piece by piece, as far as its end. */
async function pictureIn(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Picture | string> {
  const reader = body.getReader()
  try {
    return await readPicture(async () => (await reader.read()).value)
  } finally {
    await reader.cancel()
  }
}

async function sha256(bucket: R2Bucket, object_key: string): Promise<ArrayBuffer | undefined> {
  const object = await bucket.get(object_key)
  if (!object) return undefined
  const stream = new crypto.DigestStream('SHA-256')
  // When the content breaks off, both promises reject; awaiting only one would leave the other unhandled.
  const [digest] = await Promise.all([stream.digest, object.body.pipeTo(stream)])
  return digest
}

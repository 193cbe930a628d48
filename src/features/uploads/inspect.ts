import type { StorageContext } from '../../platform/context.ts'
import { fileTypes, type GameAssetType, gameAssetTypes } from '../../platform/db/enumerations.ts'
import { ApiError, type InvalidMember, unavailable } from '../../platform/errors.ts'
import { GIB, MIB } from '../../platform/lib/byte-units.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import { foreignMetadata } from './foreign-metadata.ts'
import { joinParts, type UploadedPart, uploadedParts } from './multipart.ts'
import type { UploadAndTarget, UploadRow } from './row.ts'

/** What content can be: a type of file, or of game asset. */
export type ContentKind = (typeof fileTypes)[number] | GameAssetType

/** The limits of each kind (docs/conformance.md#uploads). Every client shows pictures, so their formats are checked. */
const contentKinds: Record<ContentKind, { max_bytes: number; mayBeEmpty?: true; isPicture?: true }> = {
  file: { max_bytes: 5 * GIB, mayBeEmpty: true },
  chat_attachment: { max_bytes: 5 * GIB, mayBeEmpty: true },
  profile_pic: { max_bytes: 10 * MIB, isPicture: true },
  emote: { max_bytes: MIB, isPicture: true },
  world: { max_bytes: 5 * GIB },
  avatar: { max_bytes: GIB },
  prop: { max_bytes: GIB },
}

const pictureFormats: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** What a client declares about the content that it is going to send. */
interface Declared {
  size_bytes: number
  mime_type: string
}

/**
 * Why content can't be of that kind: VALIDATION_FAILED for its type or for being empty, or UPLOAD_TOO_LARGE; undefined
 * when it can.
 */
export function contentError(kind: ContentKind, declared: Declared): ApiError | undefined {
  const errors = [...invalidMembers(kind, declared)]
  if (errors.length > 0)
    return new ApiError('VALIDATION_FAILED', {
      detail: errors.map(({ path, message }) => `${path.slice(1)}: ${message}`).join(' '),
      errors,
    })
  const { max_bytes } = contentKinds[kind]
  if (declared.size_bytes > max_bytes)
    return new ApiError('UPLOAD_TOO_LARGE', {
      detail: `Content of type ${kind} may have at most ${max_bytes} bytes.`,
    })
  return undefined
}

function* invalidMembers(kind: ContentKind, { size_bytes, mime_type }: Declared): Generator<InvalidMember> {
  const { isPicture, mayBeEmpty } = contentKinds[kind]
  if (isPicture && !pictureFormats.includes(mime_type))
    yield { in: 'body', path: '/mime_type', message: `must be one of ${pictureFormats.join(', ')}.` }
  if (size_bytes === 0 && !mayBeEmpty)
    yield { in: 'body', path: '/size_bytes', message: 'must be at least 1.' }
}

/** The kinds that the declared content can be of. */
export function kindsFor(declared: Declared): ContentKind[] {
  return [...fileTypes, ...gameAssetTypes].filter((kind) => contentError(kind, declared) === undefined)
}

/** The stored object compared with what was declared. */
type Inspection =
  | { outcome: 'as declared' }
  /** There is no object; `detail` tells the client what to do. */
  | { outcome: 'missing'; detail: string }
  | { outcome: 'mismatch'; failure: string }

const missing: Inspection = {
  outcome: 'missing',
  detail: 'Send the content to the upload’s url, then complete it again.',
}

/**
 * Joins the parts of an upload if it has parts, then looks at its object (docs/conformance.md#uploads). Looks also when
 * the parts can't be joined: an interrupted completion may have joined them before. Two calls to R2 for the object at
 * most, and it never holds the whole content in memory.
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
    throw unavailable('The content could not be looked at. Complete the upload again.', error)
  }
}

/** The time for reading a whole object grows with its size, by one millisecond for this many bytes. */
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

/** The number of bytes that tell any picture format. */
const FIRST_BYTES = 4_096

async function readPicture(bucket: R2Bucket, object_key: string): Promise<Picture | null> {
  const object = await bucket.get(object_key, { range: { offset: 0, length: FIRST_BYTES } })
  if (!object) return null
  const { size, httpMetadata, customMetadata, checksums } = object
  const { fileTypeFromBuffer } = await import('file-type') // slow to load, and few requests need it
  const found = (await fileTypeFromBuffer(await object.arrayBuffer()))?.mime ?? 'no known picture format'
  // An animated PNG is a PNG with more chunks.
  const format = found === 'image/apng' ? 'image/png' : found
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

function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}

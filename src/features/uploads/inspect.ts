import type { StorageContext } from '../../platform/context.ts'
import { unavailable } from '../../platform/errors.ts'
import { base64 } from '../../platform/lib/text.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import type { Picture } from '../../platform/pictures/formats.ts'
import { readPicture } from '../../platform/pictures/read.ts'
import { r2Code, r2Codes } from '../../platform/storage/bucket.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import { contentKinds, type PictureLimits, pictureFailure } from './content-kinds.ts'
import {
  isMultipart,
  type MultipartUpload,
  partCount,
  type UploadAndTarget,
  type UploadedPart,
  type UploadRow,
  uploadedParts,
} from './row.ts'

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

/**
 * Joins the parts of an upload to one object, if it has parts. Returns the client's next step when parts are missing;
 * undefined when they are joined, or when R2 has ended the multipart upload: then the object exists already, or never will.
 *
 * @throws UNAVAILABLE
 */
async function joinParts(
  ctx: StorageContext,
  upload: UploadRow,
  parts: UploadedPart[],
): Promise<string | undefined> {
  if (!isMultipart(upload)) return undefined
  const unsent = missingParts(upload, parts)
  if (unsent.length > 0)
    return `Send the missing parts, and complete with their ETags: part ${inWords(unsent)}.`
  const count = partCount(upload)
  const known = parts.filter(({ part_number }) => part_number <= count)
  return (await join(ctx, upload, known))
    ? undefined
    : 'A part with one of these ETags has not arrived. Send that part again, and complete with its new ETag.'
}

/** The numbers of the parts that are not among those given. */
function missingParts(upload: MultipartUpload, given: UploadedPart[]): number[] {
  const there = new Set(given.map(({ part_number }) => part_number))
  const all = Array.from({ length: partCount(upload) }, (_, i) => i + 1)
  return all.filter((part_number) => !there.has(part_number))
}

const MAX_NAMED = 20

function inWords(numbers: number[]): string {
  const named = numbers.slice(0, MAX_NAMED).join(', ')
  return numbers.length > MAX_NAMED ? `${named} and ${numbers.length - MAX_NAMED} more` : named
}

/** R2's error codes for parts that differ from those it has. */
const partErrors: (number | undefined)[] = [
  r2Codes.invalidPart,
  r2Codes.entityTooSmall,
  r2Codes.partsOfUnequalLength,
]

/** How much longer the call may take for each part, in milliseconds. There may be 10,000 parts. */
const JOINING_MS_PER_PART = 10

/** Completes the multipart upload in R2. Returns false when the parts differ from those that R2 has. */
async function join(
  { bucket, config }: StorageContext,
  { id, multipart_id }: MultipartUpload,
  parts: UploadedPart[],
): Promise<boolean> {
  const given = parts
    .map(({ part_number, etag }) => ({ partNumber: part_number, etag }))
    .sort((one, other) => one.partNumber - other.partNumber)
  try {
    const joining = bucket.resumeMultipartUpload(id, multipart_id).complete(given)
    await withTimeout(config.CALL_TIMEOUT_MS + given.length * JOINING_MS_PER_PART, joining)
    return true
  } catch (error) {
    const code = r2Code(error)
    if (partErrors.includes(code)) return false
    if (code === r2Codes.noSuchUpload) return true
    throw unavailable('The parts could not be joined. Complete the upload again.', error)
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

/** How the size or the metadata of an object differ from the declared ones; undefined when they do not. */
function metadataFailure(object: R2Object, upload: UploadRow): string | undefined {
  const { size_bytes, mime_type } = upload
  const stored = object.httpMetadata?.contentType
  if (object.size !== size_bytes) return `${size_bytes} bytes were declared, ${object.size} arrived.`
  if (stored !== mime_type) return `${mime_type} was declared, ${stored} arrived.`
  return foreignMetadata(object, upload)
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
  { id, mime_type }: Pick<UploadRow, 'id' | 'mime_type'>,
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

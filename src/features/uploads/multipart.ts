import type { StorageContext } from '../../platform/context.ts'
import { unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import { r2Code, r2Codes } from '../../platform/storage/errors.ts'
import type { UploadRow } from './row.ts'
import { signedMetadata } from './signed-headers.ts'

/** A part that has arrived, as the client reports it. */
export interface UploadedPart {
  /** From 1 on. */
  part_number: number
  /** The ETag of the answer to its PUT. */
  etag: string
  /** Of its bytes, in base64. */
  checksum_sha256?: string
}

/** The row of an upload whose content comes in parts. */
export type MultipartUpload = UploadRow & { multipart_id: string; part_size: number }

/** Whether the content comes in parts. */
export function isMultipart(upload: UploadRow): upload is MultipartUpload {
  return upload.multipart_id !== null && upload.part_size !== null
}

/** How many parts the content has. All have the same length, except the last. */
export function partCount({ size_bytes, part_size }: MultipartUpload): number {
  return Math.ceil(size_bytes / part_size)
}

/** The length of one part, in bytes. */
export function partLength({ size_bytes, part_size }: MultipartUpload, part_number: number): number {
  return Math.min(part_size, size_bytes - (part_number - 1) * part_size)
}

/** The columns in which an upload records its parts. */
type PartColumns = Pick<UploadRow, 'parts' | 'part_checksums'>

/** The columns of these parts alone. */
export function partColumns(parts: UploadedPart[]): PartColumns {
  const checksums = parts.flatMap(({ part_number, etag, checksum_sha256 }) =>
    checksum_sha256 === undefined ? [] : [[part_number, [etag, checksum_sha256]]],
  )
  return {
    parts: JSON.stringify(Object.fromEntries(parts.map(({ part_number, etag }) => [part_number, etag]))),
    part_checksums: JSON.stringify(Object.fromEntries(checksums)),
  }
}

/** The parts that an upload has recorded, in the order of their numbers. A checksum is that of the bytes with its ETag. */
export function uploadedParts({ parts, part_checksums }: PartColumns): UploadedPart[] {
  const recorded: Record<string, string> = JSON.parse(parts)
  const checksums: Record<string, [etag: string, checksum_sha256: string]> = JSON.parse(part_checksums)
  return Object.entries(recorded)
    .map(([part_number, etag]) => {
      const [of, checksum_sha256] = checksums[part_number] ?? []
      return { part_number: Number(part_number), etag, ...(of === etag && { checksum_sha256 }) }
    })
    .sort((one, other) => one.part_number - other.part_number)
}

/** Begins a multipart upload in R2. Returns its id. @throws UNAVAILABLE */
export async function beginMultipart(
  { bucket, config }: StorageContext,
  object_key: string,
  mime_type: string,
  name: string | undefined,
): Promise<string> {
  try {
    const begun = bucket.createMultipartUpload(object_key, signedMetadata(object_key, mime_type, name))
    return (await withTimeout(config.CALL_TIMEOUT_MS, begun)).uploadId
  } catch (error) {
    throw unavailable('The upload could not be started. Try again.', error)
  }
}

/**
 * Joins the parts of an upload to one object, if it has parts. Returns the client's next step when parts are missing;
 * undefined when they are joined, or when R2 has ended the multipart upload: then the object exists already, or never will.
 *
 * @throws UNAVAILABLE
 */
export async function joinParts(
  ctx: StorageContext,
  upload: UploadRow,
  parts: UploadedPart[],
): Promise<string | undefined> {
  if (!isMultipart(upload)) return undefined
  const missing = missingParts(upload, parts)
  if (missing.length > 0)
    return `Send the missing parts, and complete with their ETags: part ${inWords(missing)}.`
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

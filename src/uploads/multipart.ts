import type { StorageContext } from '../context.ts'
import { unavailable } from '../errors.ts'
import { withTimeout } from '../lib/timeout.ts'
import { r2Code, r2Codes } from '../storage/errors.ts'
import type { UploadRow } from './record.ts'
import { signedMetadata } from './signed-headers.ts'

/** A part that has arrived, by its number from 1 on, and the ETag that the answer to its PUT had. */
export interface UploadedPart {
  part_number: number
  etag: string
}

/** The row of an upload whose content comes in parts. */
export type MultipartUpload = UploadRow & { multipart_id: string; part_size: number }

/** Whether the content comes in parts. */
export function isMultipart(upload: UploadRow): upload is MultipartUpload {
  return upload.multipart_id !== null && upload.part_size !== null
}

/** How many parts the content has: all of the same length, but the last. */
export function partCount({ size_bytes, part_size }: MultipartUpload): number {
  return Math.ceil(size_bytes / part_size)
}

/** The length of one part, in bytes. */
export function partLength({ size_bytes, part_size }: MultipartUpload, part_number: number): number {
  return Math.min(part_size, size_bytes - (part_number - 1) * part_size)
}

/** The parts that were recorded, in order. */
export function uploadedParts({ parts }: UploadRow): UploadedPart[] {
  const recorded: Record<string, string> = JSON.parse(parts)
  return Object.entries(recorded)
    .map(([part_number, etag]) => ({ part_number: Number(part_number), etag }))
    .sort((one, other) => one.part_number - other.part_number)
}

/** The numbers of the parts that are not among those given. */
export function missingParts(upload: MultipartUpload, given: UploadedPart[]): number[] {
  const there = new Set(given.map(({ part_number }) => part_number))
  const all = Array.from({ length: partCount(upload) }, (_, i) => i + 1)
  return all.filter((part_number) => !there.has(part_number))
}

/** Begins a multipart upload in R2, and tells its id. @throws UNAVAILABLE when R2 does not answer */
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
    throw unavailable('The upload could not be begun. Try again.', error)
  }
}

/** What R2 says when the parts are not what it has. */
const refusals: (number | undefined)[] = [
  r2Codes.invalidPart,
  r2Codes.entityTooSmall,
  r2Codes.partsOfUnequalLength,
]

/** As much longer as R2 may take for each part that it joins: it looks at every one, and there may be 10,000. */
const JOINING_MS = 10

/**
 * Joins the parts to one object. `refused`: R2 does not have them so. `ended`: there is no such multipart upload any
 * more, so the object is there already, or never will be.
 *
 * @throws UNAVAILABLE when R2 does not answer
 */
export async function joinParts(
  { bucket, config }: StorageContext,
  { id, multipart_id }: MultipartUpload,
  parts: UploadedPart[],
): Promise<'joined' | 'refused' | 'ended'> {
  const given = parts
    .map(({ part_number, etag }) => ({ partNumber: part_number, etag }))
    .sort((one, other) => one.partNumber - other.partNumber)
  try {
    const joining = bucket.resumeMultipartUpload(id, multipart_id).complete(given)
    await withTimeout(config.CALL_TIMEOUT_MS + given.length * JOINING_MS, joining)
    return 'joined'
  } catch (error) {
    const code = r2Code(error)
    if (refusals.includes(code)) return 'refused'
    if (code === r2Codes.noSuchUpload) return 'ended'
    throw unavailable('The parts could not be joined. Complete the upload again.', error)
  }
}

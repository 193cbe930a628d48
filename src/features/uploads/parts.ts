import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { ApiError } from '../../platform/errors.ts'
import { isMultipart, type MultipartUpload, partCount, partLength } from './multipart.ts'
import { isOpen, rejectExpired, rejectFailed, uploadExists, urlLifetime } from './read.ts'
import { type UploadRow, uploadColumns } from './row.ts'
import type { PresignParts } from './schema.ts'
import { partHeaders } from './signed-headers.ts'

/** Where to send one part, with exactly these headers. */
export interface PartUrl {
  part_number: number
  url: string
  url_expires_at: number
  headers: Record<string, string>
}

/**
 * Records the parts that have arrived, and signs URLs for other parts, each for exactly its part's length
 * (docs/conformance.md#uploads). Either may be left out. A part that was lost can be signed and recorded again.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED, UPLOAD_COMPLETED, UPLOAD_MISMATCH, VALIDATION_FAILED
 */
export async function presignParts(ctx: RequestContext, id: string, input: PresignParts): Promise<PartUrl[]> {
  const { db, user_id } = ctx
  const uploaded = input.uploaded ?? []
  const part_numbers = [...new Set(input.part_numbers)]
  const last = Math.max(0, ...part_numbers, ...uploaded.map(({ part_number }) => part_number))
  const recorded = Object.fromEntries(uploaded.map(({ part_number, etag }) => [part_number, etag]))
  const {
    uploads: [upload],
  } = await db.write({
    recorded: sql`UPDATE uploads SET parts = json_patch(parts, ${JSON.stringify(recorded)})
      WHERE ${isOpen(id, user_id)} AND check_state IS NULL AND expires_at > ${seconds(ctx)} AND ${uploaded.length} > 0
        AND (${last} - 1) * part_size < size_bytes AND ${uploadExists}`,
    uploads: sql<UploadRow>`SELECT ${uploadColumns} FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND ${uploadExists}`,
  })
  const multipart = openMultipart(upload, ctx)
  rejectUnknownParts(multipart, { uploaded: uploaded.map(({ part_number }) => part_number), part_numbers })
  return Promise.all(part_numbers.map((part_number) => partUrl(ctx, multipart, part_number)))
}

/** The upload, if it is open and its content comes in parts. */
function openMultipart(upload: UploadRow | undefined, ctx: RequestContext): MultipartUpload {
  if (!upload) throw new ApiError('UPLOAD_NOT_FOUND')
  rejectFailed(upload)
  if (upload.state === 'completed' || upload.check_state !== null) throw new ApiError('UPLOAD_COMPLETED')
  rejectExpired(upload, ctx)
  if (!isMultipart(upload))
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'This upload has no parts: send its content to its url.',
      errors: [{ in: 'path', path: '/id', message: 'This upload is sent in one PUT.' }],
    })
  return upload
}

/** @throws VALIDATION_FAILED for numbers of parts that the upload doesn't have, by the member that has them */
function rejectUnknownParts(upload: MultipartUpload, numbers: Record<string, number[]>): void {
  const count = partCount(upload)
  const errors = Object.entries(numbers).flatMap(([member, part_numbers]) =>
    part_numbers
      .filter((part_number) => part_number > count)
      .map((part_number) => ({
        in: 'body' as const,
        path: `/${member}`,
        message: `There are ${count} parts; ${part_number} is none of them.`,
      })),
  )
  if (errors.length > 0)
    throw new ApiError('VALIDATION_FAILED', {
      detail: errors.map(({ message }) => message).join(' '),
      errors,
    })
}

async function partUrl(ctx: RequestContext, upload: MultipartUpload, part_number: number): Promise<PartUrl> {
  const { now, ttl } = urlLifetime(ctx, upload)
  const headers = partHeaders(partLength(upload, part_number), ctx.config.COPY_GUARDS_PART)
  const { id, multipart_id } = upload
  const { url, expires_at } = await ctx.sign.part(id, multipart_id, part_number, headers, now, ttl)
  return { part_number, url, url_expires_at: expires_at, headers }
}

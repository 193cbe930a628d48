import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { type Params, statement } from '../../platform/db/sql.ts'
import { ApiError, MAX_ERRORS } from '../../platform/errors.ts'
import {
  isMultipart,
  isOpen,
  type MultipartUpload,
  type OwnUpload,
  partColumns,
  partCount,
  rejectExpired,
  rejectFailed,
  type UploadRow,
  uploadColumns,
  uploadExists,
  urlLifetime,
} from './row.ts'
import type { PresignParts } from './schema.ts'
import { partHeaders } from './signed-headers.ts'

/** The URL to send one part to, with exactly these headers. It expires at `url_expires_at`, in Unix seconds. */
export interface PartUrl {
  part_number: number
  url: string
  url_expires_at: number
  headers: Record<string, string>
}

const recordParts = statement(
  (p: Params<'id' | 'user_id' | 'now' | 'parts' | 'part_checksums' | 'count' | 'last'>) =>
    sql`UPDATE uploads SET parts = json_patch(parts, ${p.parts}),
        part_checksums = json_patch(part_checksums, ${p.part_checksums})
      WHERE ${isOpen(p)} AND check_state IS NULL AND expires_at > ${p.now} AND ${p.count} > 0
        AND (${p.last} - 1) * part_size < size_bytes AND ${uploadExists}`,
)

const uploadOf = statement(
  (p: OwnUpload) =>
    sql<UploadRow>`SELECT ${uploadColumns} FROM uploads WHERE id = ${p.id} AND owner_id = ${p.user_id} AND ${uploadExists}`,
)

/**
 * Records parts that have arrived, and signs URLs for others, each for exactly its part's length
 * (docs/conformance.md#uploads). Either list may be omitted. A part can be signed and recorded again.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED, UPLOAD_COMPLETED, VALIDATION_FAILED, or the error of a failed upload
 */
export async function presignParts(ctx: RequestContext, id: string, input: PresignParts): Promise<PartUrl[]> {
  const { db, user_id } = ctx
  const uploaded = input.uploaded ?? []
  const part_numbers = [...new Set(input.part_numbers)]
  const last = Math.max(0, ...part_numbers, ...uploaded.map(({ part_number }) => part_number))
  const values = { id, user_id, now: seconds(ctx), count: uploaded.length, last, ...partColumns(uploaded) }
  const {
    uploads: [upload],
  } = await db.write({ recorded: recordParts(values), uploads: uploadOf(values) })
  const multipart = openMultipart(upload, ctx)
  rejectUnknownParts(multipart, { uploaded: uploaded.map(({ part_number }) => part_number), part_numbers })
  return Promise.all(part_numbers.map((part_number) => partUrl(ctx, multipart, part_number)))
}

/**
 * The upload, if it is open and its content comes in parts.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_COMPLETED, UPLOAD_EXPIRED, VALIDATION_FAILED, or the error of a failed upload
 */
function openMultipart(upload: UploadRow | undefined, ctx: RequestContext): MultipartUpload {
  if (!upload) throw new ApiError('UPLOAD_NOT_FOUND')
  rejectFailed(upload)
  if (upload.state === 'completed' || upload.check_state !== null) throw new ApiError('UPLOAD_COMPLETED')
  rejectExpired(upload, ctx)
  if (!isMultipart(upload))
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'This upload has no parts: send the content to `url`.',
      errors: [{ in: 'path', path: '/id', message: 'This upload is sent in one PUT.' }],
    })
  return upload
}

/** Rejects numbers of parts that the upload does not have. `numbers`: by the member of the body. @throws VALIDATION_FAILED */
function rejectUnknownParts(upload: MultipartUpload, numbers: Record<string, number[]>): void {
  const count = partCount(upload)
  const errors = Object.entries(numbers).flatMap(([member, part_numbers]) =>
    part_numbers
      .filter((part_number) => part_number > count)
      .map((part_number) => ({
        in: 'body' as const,
        path: `/${member}`,
        message: `The upload has ${count} parts, and none with the number ${part_number}.`,
      })),
  )
  if (errors.length === 0) return
  const named = errors.slice(0, MAX_ERRORS)
  const detail = named.map(({ message }) => message).join(' ')
  const left = errors.length - named.length
  throw new ApiError('VALIDATION_FAILED', {
    detail: left === 0 ? detail : `${detail} And ${left} more.`,
    errors: named,
  })
}

/** Signs the URL of one part. */
async function partUrl(ctx: RequestContext, upload: MultipartUpload, part_number: number): Promise<PartUrl> {
  const { now, ttl } = urlLifetime(ctx, upload)
  const headers = partHeaders(partLength(upload, part_number), ctx.config.COPY_GUARDS_PART)
  const { id, multipart_id } = upload
  const { url, expires_at } = await ctx.sign.part(id, multipart_id, part_number, headers, now, ttl)
  return { part_number, url, url_expires_at: expires_at, headers }
}

/** The length of one part, in bytes. */
function partLength({ size_bytes, part_size }: MultipartUpload, part_number: number): number {
  return Math.min(part_size, size_bytes - (part_number - 1) * part_size)
}

import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { SignedUrl } from '../storage/presign.ts'
import { isMultipart, type MultipartUpload, partCount, partLength } from './multipart.ts'
import { rejectExpired, rejectFailed } from './read.ts'
import { isOpen, targetIsThere, type UploadRow, uploadColumns, urlLife } from './record.ts'
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
 * Records the parts that have arrived, and hands out URLs for others, each good for exactly its part's length
 * (decisions, "Uploads"). Either may be left out. A part that was lost is handed out and recorded again.
 *
 * @throws UPLOAD_NOT_FOUND, UPLOAD_EXPIRED, UPLOAD_COMPLETED, UPLOAD_MISMATCH, VALIDATION_FAILED
 */
export async function presignParts(ctx: RequestContext, id: string, input: PresignParts): Promise<PartUrl[]> {
  const { db, user_id } = ctx
  const uploaded = input.uploaded ?? []
  const asked = [...new Set(input.part_numbers)]
  const last = Math.max(0, ...asked, ...uploaded.map(({ part_number }) => part_number))
  const recorded = Object.fromEntries(uploaded.map(({ part_number, etag }) => [part_number, etag]))
  const {
    uploads: [upload],
  } = await db.batch({
    recorded: sql`UPDATE uploads SET parts = json_patch(parts, ${JSON.stringify(recorded)})
      WHERE ${isOpen(id, user_id)} AND expires_at > ${seconds(ctx)} AND ${uploaded.length} > 0
        AND (${last} - 1) * part_size < size_bytes AND ${targetIsThere}`,
    uploads: sql<UploadRow>`SELECT ${uploadColumns} FROM uploads WHERE id = ${id} AND owner_id = ${user_id} AND ${targetIsThere}`,
  })
  const multipart = orRefused(upload, ctx)
  refuseBeyond(multipart, { uploaded: uploaded.map(({ part_number }) => part_number), part_numbers: asked })
  return Promise.all(asked.map((part_number) => partUrl(ctx, multipart, part_number)))
}

function orRefused(upload: UploadRow | undefined, ctx: RequestContext): MultipartUpload {
  if (!upload) throw new ApiError('UPLOAD_NOT_FOUND')
  rejectFailed(upload)
  if (upload.state === 'completed') throw new ApiError('UPLOAD_COMPLETED')
  rejectExpired(upload, ctx)
  if (!isMultipart(upload))
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'This upload has no parts: send its content to its url.',
      errors: [{ in: 'path', path: '/id', message: 'This upload is sent in one PUT.' }],
    })
  return upload
}

function refuseBeyond(upload: MultipartUpload, named: Record<string, number[]>): void {
  const count = partCount(upload)
  const errors = Object.entries(named).flatMap(([member, numbers]) =>
    numbers
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
  const { now, ttl } = urlLife(ctx, upload)
  const headers = partHeaders(partLength(upload, part_number))
  const { id, multipart_id } = upload
  const { url, expires_at }: SignedUrl = await ctx.sign.part(id, multipart_id, part_number, headers, now, ttl)
  return { part_number, url, url_expires_at: expires_at, headers }
}

import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../context.ts'
import { UniqueViolation } from '../db/database.ts'
import { newId } from '../db/id.ts'
import { createIdempotently, dropExpiredKey, type IdempotencyKey, recordKey } from '../db/idempotency.ts'
import { createdAt } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import type { ExpectedRevisions } from '../files/tree/revision.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { tryDelete } from '../storage/delete.ts'
import { beginMultipart } from './multipart.ts'
import { readUpload } from './read.ts'
import { foundUpload, type UploadAndTarget, uploadAndTarget } from './record.ts'
import type { CreateUpload } from './schema.ts'
import { targetOf } from './targets.ts'

/**
 * Starts an upload: what it fills is made or found, and the bytes are reserved, in one batch (decisions, "Uploads").
 * Above MULTIPART_THRESHOLD it begins a multipart upload in R2 first, which R2 forgets if nothing comes of it.
 *
 * @throws VALIDATION_FAILED, UPLOAD_TOO_LARGE, QUOTA_EXCEEDED, LIMIT_REACHED (open_uploads, ended_uploads),
 * IDEMPOTENCY_KEY_REUSED, and what `targetOf` refuses; UPLOAD_NOT_FOUND when the upload that the same key started
 * has gone since.
 */
export async function startUpload(
  ctx: RequestContext,
  input: CreateUpload,
  key?: IdempotencyKey,
  expected: ExpectedRevisions = null,
): Promise<UploadAndTarget> {
  const { db, config, user_id } = ctx
  const target = targetOf(ctx, input, expected)
  const now = seconds(ctx)
  const inParts = input.size_bytes > config.MULTIPART_THRESHOLD
  if (inParts && input.checksum_sha256)
    throw invalidChecksum(
      'checksum_sha256 is for content that is sent in one PUT.',
      `Leave it out when there are more than ${config.MULTIPART_THRESHOLD} bytes.`,
    )
  if (!inParts && config.REQUIRE_CHECKSUM && !input.checksum_sha256)
    throw invalidChecksum(
      'checksum_sha256 is required here.',
      'must be the SHA-256 of the content in base64.',
    )

  return createIdempotently(db, key, {
    create: async () => {
      // A new one each time: what is removed after a try that came to nothing may go late.
      const id = newId(user_id)
      const multipart_id = inParts ? await beginMultipart(ctx, id, input.mime_type, target.name) : null
      const written = db.batch({
        usage: ensureUsageRow(ctx),
        made: target.make,
        started: sql`INSERT INTO uploads (id, owner_id, upload_type, size_bytes, mime_type, checksum_sha256, multipart_id,
            part_size, file_id, replaces, expected_revisions, asset_id, asset_type, name, visibility, created_at,
            expires_at, url_ttl)
          SELECT ${id}, ${user_id}, ${target.upload_type}, ${input.size_bytes}, ${input.mime_type},
            ${input.checksum_sha256 ?? null}, ${multipart_id}, ${multipart_id && config.PART_SIZE}, target.*,
            ${createdAt(now, user_id)}, ${now + config.UPLOAD_TTL}, ${config.UPLOAD_URL_TTL}
          FROM (${target.found}) AS target`,
        ...uploadAndTarget(id, user_id),
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM uploads WHERE id = ${id}`),
      })
      const started = await written.then(foundUpload, async (error: unknown) => {
        if (isRefusal(error)) await abandon(ctx, id, multipart_id)
        throw error
      })
      if (!started) await abandon(ctx, id, multipart_id)
      return started
    },
    replay: (made_id) => readUpload(ctx, made_id),
    explain: target.why,
  })
}

/** Whether it is certain that nothing was written. When D1's answer was lost, the upload may be there, and needed. */
function isRefusal(error: unknown): boolean {
  return error instanceof UniqueViolation || (error instanceof ApiError && error.code !== 'UNAVAILABLE')
}

/** Gives up a multipart upload that nothing came of. Only a try: R2 drops it by itself after seven days. */
async function abandon(ctx: RequestContext, object_key: string, multipart_id: string | null): Promise<void> {
  if (multipart_id !== null) await tryDelete(ctx, { object_key, multipart_id })
}

function invalidChecksum(detail: string, message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail,
    errors: [{ in: 'body', path: '/checksum_sha256', message }],
  })
}

import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { createIdempotently, dropExpiredKey, recordKey } from '../../platform/db/idempotency.ts'
import type { IdempotencyKey } from '../../platform/db/idempotency-key.ts'
import { createdAt } from '../../platform/db/marks.ts'
import type { ExpectedRevisions } from '../../platform/db/revision.ts'
import { uploads } from '../../platform/db/schema.ts'
import { provesNoWrite } from '../../platform/db/session.ts'
import { insert, keptStatements, type Slot } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { tryDelete } from '../../platform/storage/delete.ts'
import { quotaUsed } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { beginMultipart } from './multipart.ts'
import { readUpload } from './read.ts'
import { foundUpload, type UploadAndTarget, uploadAndTarget } from './row.ts'
import type { CreateUpload } from './schema.ts'
import { type Target, type TargetValue, targetOf } from './targets.ts'

/**
 * Starts an upload: one batch creates or finds its target and reserves the bytes (docs/conformance.md#uploads). Content
 * of more than MULTIPART_THRESHOLD bytes begins a multipart upload in R2 first; R2 drops a multipart upload after seven
 * days without completion.
 *
 * @throws VALIDATION_FAILED, UPLOAD_TOO_LARGE, QUOTA_EXCEEDED, LIMIT_REACHED (open_uploads, ended_uploads),
 * IDEMPOTENCY_KEY_REUSED, and the errors of `targetOf`; UPLOAD_NOT_FOUND when the upload that the same key started is gone
 */
export async function startUpload(
  ctx: RequestContext,
  input: CreateUpload,
  key?: IdempotencyKey,
  expected: ExpectedRevisions = null,
): Promise<UploadAndTarget> {
  const { db, config, user_id } = ctx
  const { size_bytes, mime_type, checksum_sha256 } = input
  const target = targetOf(ctx, input, expected)
  const now = seconds(ctx)
  const inParts = size_bytes > config.MULTIPART_THRESHOLD
  rejectChecksum(ctx, checksum_sha256, inParts)

  return createIdempotently(db, key, {
    create: async () => {
      // Each attempt has its own id: the multipart upload of an attempt that failed may be aborted late.
      const id = newId(user_id)
      const multipart_id = inParts ? await beginMultipart(ctx, id, mime_type, target.name) : null
      const values = {
        id,
        owner_id: user_id,
        size_bytes,
        mime_type,
        checksum_sha256: checksum_sha256 ?? null,
        multipart_id,
        part_size: inParts ? config.PART_SIZE : null,
        now,
        expires_at: now + config.UPLOAD_TTL,
        url_ttl: config.UPLOAD_URL_TTL,
        ...target.values,
      }
      const written = db.write({
        usage: ensureUsageRow(ctx),
        target: target.create,
        started: keptInsert(target.shape, (slot) => insertStatement(target, slot), values),
        events: quotaUsed(
          ctx,
          user_id,
          sql`SELECT started.size_bytes FROM uploads AS started WHERE started.id = ${id}`,
        ),
        ...uploadAndTarget(id, user_id),
        expired_key: dropExpiredKey(key),
        key: recordKey(key, sql`SELECT id FROM uploads WHERE id = ${id}`),
      })
      const started = await written.then(foundUpload, async (error: unknown) => {
        if (provesNoWrite(error)) await abandon(ctx, id, multipart_id)
        throw error
      })
      if (!started) await abandon(ctx, id, multipart_id)
      return started
    },
    replay: (made_id) => readUpload(ctx, made_id),
    explain: target.explain,
  })
}

const keptInsert = keptStatements()

/** The values that a row of `uploads` takes from the request, besides those of its target. */
type UploadValue =
  | 'id'
  | 'size_bytes'
  | 'mime_type'
  | 'checksum_sha256'
  | 'multipart_id'
  | 'part_size'
  | 'now'
  | 'expires_at'
  | 'url_ttl'

/** SQL: the INSERT of an upload's row, if its target is there. */
function insertStatement(target: Target, slot: Slot<UploadValue | TargetValue>): SQL {
  const row = {
    id: slot('id'),
    owner_id: slot('owner_id'),
    size_bytes: slot('size_bytes'),
    mime_type: slot('mime_type'),
    checksum_sha256: slot('checksum_sha256'),
    multipart_id: slot('multipart_id'),
    part_size: slot('part_size'),
    created_at: createdAt(slot('now'), slot('owner_id')),
    expires_at: slot('expires_at'),
    url_ttl: slot('url_ttl'),
    ...target.columns(slot),
  }
  return insert(uploads, row, target.from(slot))
}

/** Rejects a checksum of content in parts, which R2 can't check, and a missing checksum where one is required. @throws VALIDATION_FAILED */
function rejectChecksum(
  { config }: RequestContext,
  checksum_sha256: string | undefined,
  inParts: boolean,
): void {
  if (inParts && checksum_sha256)
    throw invalidChecksum(
      'checksum_sha256 is for content that is sent in one PUT.',
      `Leave it out when there are more than ${config.MULTIPART_THRESHOLD} bytes.`,
    )
  if (!inParts && config.REQUIRE_CHECKSUM && !checksum_sha256)
    throw invalidChecksum(
      'checksum_sha256 is required here.',
      'must be the SHA-256 of the content in base64.',
    )
}

function invalidChecksum(detail: string, message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail,
    errors: [{ in: 'body', path: '/checksum_sha256', message }],
  })
}

/** Tries to abort the multipart upload of an attempt that wrote nothing. */
async function abandon(ctx: RequestContext, object_key: string, multipart_id: string | null): Promise<void> {
  if (multipart_id !== null) await tryDelete(ctx, { object_key, multipart_id })
}

import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import {
  createIdempotently,
  dropExpiredKey,
  type IdempotencyKey,
  keyRecorder,
} from '../../platform/db/idempotency.ts'
import { type ExpectedRevisions, revisionIn } from '../../platform/db/revision.ts'
import { uploads } from '../../platform/db/schema.ts'
import { provesNoWrite } from '../../platform/db/session.ts'
import { insert, type Params, perShape, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { ApiError, unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import { tryDelete } from '../../platform/storage/bucket.ts'
import { isOwnAsset } from '../assets/access.ts'
import { isTaken } from '../assets/name.ts'
import { versionCount } from '../assets/row.ts'
import { canAddVariant } from '../assets/variants.ts'
import { isLive } from '../files/path.ts'
import { thresholdByCharge } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { foundUpload, readUpload, type UploadAndTarget, uploadAndTarget } from './row.ts'
import type { CreateUpload } from './schema.ts'
import { signedMetadata } from './signed-headers.ts'
import { noTarget, type Purpose, targetOf } from './targets.ts'

const charged = thresholdByCharge(
  (p: Params<'id'>) => sql`SELECT started.size_bytes FROM uploads AS started WHERE started.id = ${p.id}`,
)

const recordUpload = keyRecorder((p: Params<'id'>) => sql`SELECT id FROM uploads WHERE id = ${p.id}`)

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
        user_id,
        size_bytes,
        mime_type,
        checksum_sha256: checksum_sha256 ?? null,
        multipart_id,
        part_size: inParts ? config.PART_SIZE : null,
        now,
        expires_at: now + config.UPLOAD_TTL,
        url_ttl: config.UPLOAD_URL_TTL,
        ...noTarget,
        ...target.values,
      }
      const written = db.write({
        usage: ensureUsageRow(ctx),
        target: target.create,
        started: insertUpload(input.purpose)(values),
        events: charged(ctx, values),
        ...uploadAndTarget(values),
        expired_key: dropExpiredKey(key),
        key: recordUpload(key, values),
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

/** Begins a multipart upload in R2. Returns its id. @throws UNAVAILABLE */
async function beginMultipart(
  { bucket, config }: RequestContext,
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

type UploadParams = Params<
  | keyof typeof noTarget
  | 'id'
  | 'user_id'
  | 'size_bytes'
  | 'mime_type'
  | 'checksum_sha256'
  | 'multipart_id'
  | 'part_size'
  | 'now'
  | 'expires_at'
  | 'url_ttl'
>

/** SQL: the rest of the SELECT that an upload's row is inserted from. It selects no row when the upload may not start. */
const targets: Record<Purpose, (p: UploadParams) => SQL> = {
  file: (p) => sql`FROM files WHERE id = ${p.file_id}`,
  replacement: (p) => sql`FROM files WHERE id = ${p.file_id} AND ${isLive(p.file_id, p.user_id)}
    AND ${revisionIn(p.expected)} AND ${isOneOf(sql`asset_type`, p.kinds)} AND processing_state IN ('ready', 'failed')`,
  asset: (p) => sql`WHERE NOT ${isTaken(p.name, p.user_id)}`,
  version: (p) => sql`FROM game_assets WHERE ${isOwnAsset(p.asset_id, p.user_id)}
    AND ${revisionIn(p.expected)} AND ${isOneOf(sql`type`, p.kinds)} AND ${versionCount} < ${p.max_versions}`,
  variant: (p) => sql`FROM game_assets WHERE ${isOwnAsset(p.asset_id, p.user_id)}
    AND ${revisionIn(p.expected)} AND ${isOneOf(sql`type`, p.kinds)} AND ${canAddVariant(p)}`,
}

/** SQL: whether a column's value is one of a JSON list. */
function isOneOf(column: SQL, list: SQL): SQL {
  return sql`${column} IN (SELECT value FROM json_each(${list}))`
}

const insertUpload = perShape((purpose: Purpose) =>
  statement((p: UploadParams) => {
    const row = {
      id: p.id,
      owner_id: p.user_id,
      upload_type:
        purpose === 'file' || purpose === 'replacement' ? ('file' as const) : ('game_asset' as const),
      size_bytes: p.size_bytes,
      mime_type: p.mime_type,
      checksum_sha256: p.checksum_sha256,
      multipart_id: p.multipart_id,
      part_size: p.part_size,
      file_id: p.file_id,
      replaces: p.replaces,
      expected_revisions: p.expected,
      asset_id: p.asset_id,
      asset_type: p.asset_type,
      name: p.name,
      visibility: p.visibility,
      notes: p.notes,
      min_build: p.min_build,
      max_build: p.max_build,
      page: p.page,
      created_at: createdAt(p.now, p.user_id),
      expires_at: p.expires_at,
      url_ttl: p.url_ttl,
      platform: p.platform,
      version: p.version,
    }
    return insert(uploads, row, targets[purpose](p))
  }),
)

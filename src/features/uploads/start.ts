import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import {
  createIdempotently,
  dropExpiredKey,
  type IdempotencyKey,
  keyRecorder,
} from '../../platform/db/idempotency.ts'
import {
  type ExpectedRevisions,
  listOfRevisions,
  revisionError,
  revisionIn,
} from '../../platform/db/revision.ts'
import { uploads } from '../../platform/db/schema.ts'
import { provesNoWrite } from '../../platform/db/session.ts'
import {
  type Bindable,
  insert,
  type Params,
  type Prepared,
  perShape,
  statement,
} from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { ApiError, unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import { tryDelete } from '../../platform/storage/bucket.ts'
import { isOwnAsset, readOwnAsset } from '../assets/access.ts'
import { isTaken, nameError } from '../assets/name.ts'
import { versionCount, versionLimitError } from '../assets/row.ts'
import type { VersionContent } from '../assets/version-schema.ts'
import { insertItem } from '../files/create.ts'
import { isLive, pathTo, writeError } from '../files/path.ts'
import { whyNotCreated } from '../files/placement.ts'
import { thresholdByCharge } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import { contentError, kindsFor, replacementError } from './content-kinds.ts'
import { foundUpload, readUpload, type UploadAndTarget, uploadAndTarget } from './row.ts'
import type { CreateUpload } from './schema.ts'
import { signedMetadata } from './signed-headers.ts'

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

/** The values of an upload's row and of its condition that a target may replace. */
const noTarget = {
  file_id: null,
  replaces: 0,
  expected: null,
  asset_id: null,
  asset_type: null,
  name: null,
  visibility: null,
  notes: null,
  min_build: null,
  max_build: null,
  page: null,
  kinds: null,
  max_versions: null,
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

/** The purpose of an upload's content. */
type Purpose = CreateUpload['purpose']

/** SQL: the rest of the SELECT that an upload's row is inserted from. It selects no row when the upload may not start. */
const targets: Record<Purpose, (p: UploadParams) => SQL> = {
  file: (p) => sql`FROM files WHERE id = ${p.file_id}`,
  replacement: (p) => sql`FROM files WHERE id = ${p.file_id} AND ${isLive(p.file_id, p.user_id)}
    AND ${revisionIn(p.expected)} AND ${isOneOf(sql`asset_type`, p.kinds)} AND processing_state IN ('ready', 'failed')`,
  asset: (p) => sql`WHERE NOT ${isTaken(p.name, p.user_id)}`,
  version: (p) => sql`FROM game_assets WHERE ${isOwnAsset(p.asset_id, p.user_id)}
    AND ${revisionIn(p.expected)} AND ${isOneOf(sql`type`, p.kinds)} AND ${versionCount} < ${p.max_versions}`,
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
    }
    return insert(uploads, row, targets[purpose](p))
  }),
)

/** The target of an upload: the file or asset that gets the content, as the parts of the batch that starts the upload. */
interface Target {
  /** The name of the target, if no query is needed to know it. */
  name?: string
  /** The statements that create the target before the upload; none for a target that exists, or that completion creates. */
  create: Prepared[]
  values: { [Name in keyof typeof noTarget]?: Bindable }
  /** Returns why the upload may not start, after nothing was written. */
  explain: () => Promise<ApiError | undefined>
}

type For<One extends Purpose> = Extract<CreateUpload, { purpose: One }>

/**
 * The target of an upload, by its purpose.
 *
 * @throws VALIDATION_FAILED, UPLOAD_TOO_LARGE; `explain` returns FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER,
 * LIMIT_REACHED (folder_depth, versions), FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY, PRECONDITION_FAILED,
 * ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME
 */
function targetOf(ctx: RequestContext, input: CreateUpload, expected: ExpectedRevisions): Target {
  if (input.purpose === 'replacement') return replacement(ctx, input, expected)
  if (input.purpose === 'version') return newVersion(ctx, input, expected)
  const error = contentError(input.asset_type, input)
  if (error) throw error
  return input.purpose === 'file' ? newFile(ctx, input) : newAsset(ctx, input)
}

/** A new file, which exists from the start in its folder. The folders above it have to be live. */
function newFile(ctx: RequestContext, input: For<'file'>): Target {
  const { name, asset_type, size_bytes, mime_type } = input
  const [id, parent_id] = [newId(ctx.user_id), input.parent_id ?? null]
  const file = {
    id,
    owner_id: ctx.user_id,
    parent_id,
    name,
    asset_type,
    size_bytes,
    mime_type,
    processing_state: 'pending',
    object_key: null,
    now: seconds(ctx),
    max_depth: ctx.config.MAX_FOLDER_DEPTH,
  }
  return {
    name,
    create: [insertItem('nothing')(file)],
    values: { file_id: id },
    explain: () => whyNotCreated(ctx, parent_id),
  }
}

/** A file of the caller's whose first upload has ended, at an expected revision. The file stays as it is until completion. */
function replacement(
  { db, user_id }: RequestContext,
  input: For<'replacement'>,
  expected: ExpectedRevisions,
): Target {
  const { file_id } = input
  const kinds = JSON.stringify(kindsFor(input))
  return {
    create: [],
    values: { file_id, replaces: 1, expected: listOfRevisions(expected), kinds },
    explain: async () => {
      const path = await db.read(pathTo({ id: file_id }))
      return (
        writeError(path, user_id, expected) ??
        (path[0] && replacementError(path[0], (kind) => contentError(kind, input)))
      )
    },
  }
}

/** What the row keeps of the version that completion makes. */
function versionColumnsIn({ notes, min_build, max_build }: VersionContent) {
  return { notes: notes ?? null, min_build: min_build ?? null, max_build: max_build ?? null }
}

/** A new asset, which completion creates. Its name has to be free. */
function newAsset(ctx: RequestContext, input: For<'asset'>): Target {
  const { name, asset_type, visibility, description, tags, metadata, listed, rating } = input
  const page = JSON.stringify({ description, tags, metadata, listed, rating: rating ?? undefined })
  return {
    name,
    create: [],
    // The row keeps the page until completion; null when the request says nothing of it.
    values: { asset_type, name, visibility, ...versionColumnsIn(input), page: page === '{}' ? null : page },
    explain: () => nameError(ctx, name),
  }
}

/** A new version of an asset of the caller's that has fewer than MAX_VERSIONS_PER_ASSET, and is at an expected revision. */
function newVersion(ctx: RequestContext, input: For<'version'>, expected: ExpectedRevisions): Target {
  const { config } = ctx
  const { asset_id } = input
  const kinds = JSON.stringify(kindsFor(input))
  const max_versions = config.MAX_VERSIONS_PER_ASSET
  return {
    create: [],
    values: {
      asset_id,
      ...versionColumnsIn(input),
      expected: listOfRevisions(expected),
      kinds,
      max_versions,
    },
    explain: async () => {
      const asset = await readOwnAsset(ctx, asset_id)
      return (
        revisionError(asset, expected, 'asset') ??
        contentError(asset.type, input) ??
        versionLimitError(asset, config)
      )
    },
  }
}

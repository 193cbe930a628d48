import { type SQL, sql } from 'drizzle-orm'
import { type ReceivedBytes, type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { fileTypes } from '../../platform/db/enumerations.ts'
import { isId, newId } from '../../platform/db/id.ts'
import {
  createIdempotently,
  dropExpiredKey,
  type IdempotencyKey,
  keyRecorder,
} from '../../platform/db/idempotency.ts'
import { type ExpectedRevisions, listOfRevisions, revisionIn } from '../../platform/db/revision.ts'
import { files } from '../../platform/db/schema.ts'
import { assignments, type Params, statement } from '../../platform/db/sql.ts'
import { updatedAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { eventWriter } from '../../platform/events/record.ts'
import { noFormat, type Picture } from '../../platform/pictures/formats.ts'
import { readPicture } from '../../platform/pictures/read.ts'
import { isNotGarbage } from '../../platform/storage/garbage.ts'
import { insertItem } from '../files/create.ts'
import { isLive, pathTo, shownColumns, writeError } from '../files/path.ts'
import { whyNotCreated } from '../files/placement.ts'
import { readFile } from '../files/read.ts'
import { contentDeletion, type FileRow } from '../files/row.ts'
import { thresholdByCharge, thresholdByReplacement } from '../quota/events.ts'
import { ensureUsageRow } from '../quota/usage.ts'
import {
  type ContentKind,
  contentError,
  contentKinds,
  isCheckedKind,
  isPictureType,
  pictureFailure,
  replacementError,
} from '../uploads/content-kinds.ts'
import type { CreateContent } from './schema.ts'
import { contentMetadata, storeContent } from './store.ts'

/** Content as a request sends it. */
export interface SentContent extends ReceivedBytes {
  mime_type: string
}

/** Content, and the properties of a picture. */
interface ReceivedContent extends SentContent {
  size_bytes: number
  /** For content that is declared as a picture: its properties, or why it is rejected. */
  picture: Picture | string
}

/** SQL: whether a row of `files` is the file with this content. */
const hasContent = (p: Params<'id' | 'object_key'>) => sql`id = ${p.id} AND object_key = ${p.object_key}`

/**
 * The event of content that came in one request: that of a completed upload, whose id is the key of the content. It follows the
 * statement that writes the content, in its batch.
 */
const uploadCompleted = eventWriter('upload.completed', (p: Params<'id' | 'object_key'>) => ({
  resource_id: sql`id`,
  data: {
    upload_id: sql`object_key`,
    owner_id: sql`owner_id`,
    upload_type: 'file' as const,
    size_bytes: sql`size_bytes`,
    file_id: sql`id`,
    asset_id: null,
    mime_type: sql`mime_type`,
    version: null,
  },
  from: sql`FROM files WHERE ${hasContent(p)}`,
}))

const chargedNew = thresholdByCharge(
  (p: Params<'id' | 'object_key'>) =>
    sql`SELECT made.charged_bytes FROM files AS made WHERE ${hasContent(p)}`,
)

const recordFile = keyRecorder(
  (p: Params<'id' | 'object_key'>) => sql`SELECT id FROM files WHERE ${hasContent(p)}`,
)

/**
 * Creates a file with its content (docs/conformance.md#small-content-in-one-request).
 *
 * @throws VALIDATION_FAILED, UPLOAD_TOO_LARGE, UPLOAD_REQUIRED, UPLOAD_MISMATCH, FILE_PARENT_NOT_FOUND,
 * FILE_PARENT_NOT_FOLDER, QUOTA_EXCEEDED, LIMIT_REACHED (items, folder_depth, idempotency_keys), IDEMPOTENCY_KEY_REUSED; FILE_NOT_FOUND when the
 * file that an earlier request with the key made is gone
 */
export async function createContent(
  ctx: RequestContext,
  { name, asset_type, ...input }: CreateContent,
  sent: SentContent,
  key?: IdempotencyKey,
): Promise<FileRow> {
  const { db, user_id, config } = ctx
  const parent_id = input.parent_id ?? null
  const content = await receive(ctx, sent)
  const error = kindError(ctx, asset_type, content)
  if (error) throw error
  const { size_bytes, mime_type } = content
  const id = newId(user_id)
  const whyNot = () => whyNotCreated(ctx, parent_id)
  return createIdempotently(db, key, {
    create: () =>
      storeContent(ctx, storedAs(content, id, name), {
        whyNot,
        write: async (object_key) => {
          const file = {
            id,
            owner_id: user_id,
            parent_id,
            name,
            asset_type,
            size_bytes,
            mime_type,
            processing_state: 'ready',
            object_key,
            now: seconds(ctx),
            max_depth: config.MAX_FOLDER_DEPTH,
          }
          const {
            created: [created],
          } = await db.write({
            usage: ensureUsageRow(ctx),
            created: insertItem('row')(file),
            quota: chargedNew(ctx, { id, object_key, user_id }),
            events: uploadCompleted(ctx, file),
            expired_key: dropExpiredKey(key),
            key: recordFile(key, file),
          })
          return created
        },
      }),
    replay: async (made_id) => (await readFile(ctx, made_id)).item,
    explain: whyNot,
  })
}

/**
 * Replaces the content of a file of the caller's (docs/conformance.md#small-content-in-one-request). The file's kind is unknown
 * before the write, so the write requires one of the kinds that the content can be of.
 *
 * @throws VALIDATION_FAILED, UPLOAD_TOO_LARGE, UPLOAD_REQUIRED, UPLOAD_MISMATCH, FILE_NOT_FOUND, FILE_IS_FOLDER,
 * FILE_NOT_READY, PRECONDITION_FAILED, QUOTA_EXCEEDED
 */
export async function replaceContent(
  ctx: RequestContext,
  id: string,
  sent: SentContent,
  expected: ExpectedRevisions = null,
): Promise<FileRow> {
  const { db, user_id } = ctx
  const content = await receive(ctx, sent)
  // The object is stored with the id, and R2 takes no long one.
  if (!isId(id)) throw new ApiError('FILE_NOT_FOUND')
  const kinds = fileTypes.filter((kind) => kindError(ctx, kind, content) === undefined)
  const values = {
    id,
    user_id,
    now: seconds(ctx),
    size_bytes: content.size_bytes,
    mime_type: content.mime_type,
    kinds: JSON.stringify(kinds),
    expected: listOfRevisions(expected),
  }
  const whyNot = async () => {
    const path = await db.read(pathTo({ id }))
    return (
      writeError(path, user_id, expected) ??
      (path[0] && replacementError(path[0], (kind) => kindError(ctx, kind, content)))
    )
  }
  return retryOnConflict(async () => {
    const replaced =
      kinds.length > 0
        ? await storeContent(ctx, storedAs(content, id), {
            whyNot,
            write: (object_key) => swapContent(ctx, { ...values, object_key }),
          })
        : undefined
    if (replaced) return replaced
    const error = await whyNot()
    if (error) throw error
    return undefined
  })
}

type SwapParams = Params<'id' | 'user_id' | 'expected' | 'kinds' | 'object_key'>

/** SQL: whether a row of `files` can get other content. */
function canReplace(p: SwapParams): SQL {
  return sql`id = ${p.id} AND ${isLive(p.id, p.user_id)} AND ${revisionIn(p.expected)}
    AND asset_type IN (SELECT value FROM json_each(${p.kinds})) AND processing_state IN ('ready', 'failed')
    AND ${isNotGarbage(p.object_key)}`
}

const chargedSwap = thresholdByReplacement(
  (p: SwapParams & Params<'size_bytes'>) =>
    sql`SELECT ${p.size_bytes} - charged_bytes FROM files WHERE ${canReplace(p)}`,
)

const deleteReplaced = contentDeletion(canReplace)

const swap = statement((p: SwapParams & Params<'size_bytes' | 'mime_type' | 'now'>) => {
  const changes = {
    processing_state: 'ready' as const,
    size_bytes: p.size_bytes,
    mime_type: p.mime_type,
    object_key: p.object_key,
    revision: sql`revision + 1`,
    updated_at: updatedAt(p.now),
  }
  return sql<FileRow>`UPDATE files SET ${assignments(files, changes)} WHERE ${canReplace(p)} RETURNING ${shownColumns}`
})

/** Undefined when the file can't take the content. */
async function swapContent(
  ctx: RequestContext,
  values: Parameters<typeof swap>[0],
): Promise<FileRow | undefined> {
  const {
    replaced: [replaced],
  } = await ctx.db.write({
    usage: ensureUsageRow(ctx),
    quota: chargedSwap(ctx, values),
    earlier: deleteReplaced(ctx, values, seconds(ctx) + ctx.config.DOWNLOAD_URL_TTL),
    replaced: swap(values),
    events: uploadCompleted(ctx, values),
  })
  if (replaced?.asset_type === 'profile_pic') ctx.ended.push(['profile', ctx.user_id])
  return replaced
}

/** Recognises a picture. @throws VALIDATION_FAILED without a digest where uploads require a checksum */
async function receive(
  { config }: Pick<RequestContext, 'config'>,
  sent: SentContent,
): Promise<ReceivedContent> {
  const { bytes, mime_type, is_declared } = sent
  if (config.REQUIRE_CHECKSUM && !is_declared)
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'Content-Digest is required here.',
      errors: [{ in: 'header', path: '/content-digest', message: 'must be like sha-256=:BASE64:' }],
    })
  const picture = isPictureType(mime_type) ? await readPicture(bytes) : noFormat
  return { ...sent, size_bytes: bytes.byteLength, picture }
}

/** The content of a file as it is stored. R2 compares the digest with the bytes that arrive, and keeps it. */
function storedAs({ bytes, mime_type, digest }: ReceivedContent, file_id: string, name?: string) {
  return { bytes, options: { ...contentMetadata(file_id, mime_type, name), sha256: digest } }
}

const inRequest = {
  mime_type: { in: 'header', path: '/content-type' },
  size_bytes: { in: 'body', path: '' },
} as const

/**
 * Why content can't become that of a file of this kind in one request: VALIDATION_FAILED, UPLOAD_TOO_LARGE, UPLOAD_REQUIRED,
 * UPLOAD_MISMATCH; undefined when it can.
 */
function kindError(
  { check, config }: Pick<RequestContext, 'check' | 'config'>,
  kind: ContentKind,
  content: ReceivedContent,
): ApiError | undefined {
  const { mime_type, picture } = content
  const error = contentError(kind, content, inRequest)
  if (error) return error
  if (check && isCheckedKind(check, kind, mime_type))
    return new ApiError('UPLOAD_REQUIRED', { detail: `Content of type ${kind} is checked here first.` })
  const limits = contentKinds[kind].picture
  const failure = limits && pictureFailure(config, limits, picture, mime_type)
  return failure === undefined ? undefined : new ApiError('UPLOAD_MISMATCH', { detail: failure })
}

import { type SQL, sql } from 'drizzle-orm'
import { isOwnAsset, readOwnAsset } from '../assets/access.ts'
import { isTaken, nameError } from '../assets/name.ts'
import { versionLimitError } from '../assets/rollback.ts'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createdAt } from '../db/marks.ts'
import { ApiError } from '../errors.ts'
import type { FileRow } from '../files/record.ts'
import { isLive } from '../files/tree/lifecycle.ts'
import { canCreateIn, whyNotCreated } from '../files/tree/placement.ts'
import { type ExpectedRevisions, revisionIn, writeError } from '../files/tree/revision.ts'
import { pathTo } from '../files/tree/walk.ts'
import { contentError, kindsThatTake } from './limits.ts'
import type { CreateUpload } from './schema.ts'

/** What an upload is to fill. */
interface Target {
  upload_type: 'file' | 'game_asset'
  /** The name that the content goes by, if that is known before the database has been asked. */
  name?: string
  /** Makes what is filled, before the upload. */
  make: SQL
  /**
   * A SELECT of the upload's columns file_id, replaces, expected_revisions, asset_id, asset_type, name and
   * visibility; of no row when the upload may not start.
   */
  found: SQL
  /** Why it may not, found out after nothing was written. */
  why: () => Promise<ApiError | undefined>
}

/** What is there already, or comes later. */
const nothing = sql`SELECT 1 WHERE 0`

type For<Purpose extends CreateUpload['purpose']> = Extract<CreateUpload, { purpose: Purpose }>

/**
 * What an upload is for, as the statements that require it.
 *
 * @throws VALIDATION_FAILED, UPLOAD_TOO_LARGE; its `why` tells FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER,
 * LIMIT_REACHED (folder_depth, versions), FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY, PRECONDITION_FAILED,
 * ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME
 */
export function targetOf(ctx: RequestContext, input: CreateUpload, expected: ExpectedRevisions): Target {
  if (input.purpose === 'replacement') return newContent(ctx, input, expected)
  if (input.purpose === 'version') return newVersion(ctx, input)
  const refusal = contentError(input.asset_type, input)
  if (refusal) throw refusal
  return input.purpose === 'file' ? newFile(ctx, input) : newAsset(ctx, input)
}

/** A pending file, in its place from the start, below folders that are all live. */
function newFile(ctx: RequestContext, input: For<'file'>): Target {
  const { name, asset_type, size_bytes, mime_type } = input
  const { user_id, config } = ctx
  const [id, now, parent_id] = [newId(user_id), createdAt(seconds(ctx), user_id), input.parent_id ?? null]
  return {
    upload_type: 'file',
    name,
    make: sql`INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state,
        created_at, updated_at)
      SELECT ${id}, ${user_id}, ${parent_id}, ${name}, ${asset_type}, ${size_bytes}, ${mime_type}, 'pending',
        ${now}, ${now}
      WHERE ${canCreateIn(parent_id, user_id, config.MAX_FOLDER_DEPTH)}`,
    found: sql`SELECT id, 0, NULL, NULL, NULL, NULL, NULL FROM files WHERE id = ${id}`,
    why: () => whyNotCreated(ctx, parent_id),
  }
}

/** A file of the caller's that has had its content, at a revision that is expected. It stays as it is for now. */
function newContent(
  { db, user_id }: RequestContext,
  input: For<'replacement'>,
  expected: ExpectedRevisions,
): Target {
  const { file_id } = input
  return {
    upload_type: 'file',
    make: nothing,
    found: sql`SELECT id, 1, ${expected && JSON.stringify(expected)}, NULL, NULL, NULL, NULL FROM files
      WHERE id = ${file_id} AND ${isLive(file_id, user_id)} AND ${revisionIn(expected)} AND asset_type IN ${kindsOf(input)}
        AND processing_state IN ('ready', 'failed')`,
    why: async () => {
      const path = await db.all<FileRow>(pathTo(file_id))
      return writeError(path, user_id, expected) ?? (path[0] && replacementRefusal(path[0], input))
    },
  }
}

/** Why the content of a file can't be replaced by this; undefined when it can. */
function replacementRefusal(
  { asset_type, processing_state }: FileRow,
  input: For<'replacement'>,
): ApiError | undefined {
  if (asset_type === 'folder') return new ApiError('FILE_IS_FOLDER')
  const isFirst = processing_state !== 'ready' && processing_state !== 'failed'
  return (
    contentError(asset_type, input) ??
    (isFirst
      ? new ApiError('FILE_NOT_READY', {
          detail: 'Complete or abort the upload that brings its first content.',
        })
      : undefined)
  )
}

/** An asset that exists from completion on, under a name that is free. */
function newAsset(ctx: RequestContext, { name, asset_type, visibility }: For<'asset'>): Target {
  return {
    upload_type: 'game_asset',
    name,
    make: nothing,
    found: sql`SELECT NULL, 0, NULL, NULL, ${asset_type}, ${name}, ${visibility}
      WHERE NOT ${isTaken(name, ctx.user_id)}`,
    why: () => nameError(ctx, name),
  }
}

/** An asset of the caller's that has room for one more version. */
function newVersion(ctx: RequestContext, input: For<'version'>): Target {
  const { config, user_id } = ctx
  const { asset_id } = input
  return {
    upload_type: 'game_asset',
    make: nothing,
    found: sql`SELECT NULL, 0, NULL, id, NULL, NULL, NULL FROM game_assets
      WHERE ${isOwnAsset(asset_id, user_id)} AND type IN ${kindsOf(input)}
        AND current_version < ${config.MAX_VERSIONS_PER_ASSET}`,
    why: async () => {
      const asset = await readOwnAsset(ctx, asset_id)
      return contentError(asset.type, input) ?? versionLimitError(asset, config)
    },
  }
}

/** SQL: the kinds that content like this can be of, as a list. */
function kindsOf(declared: { size_bytes: number; mime_type: string }): SQL {
  const kinds = kindsThatTake(declared)
  return kinds.length > 0 ? sql`${kinds}` : sql`(NULL)`
}

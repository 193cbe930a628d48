import { type SQL, sql } from 'drizzle-orm'
import { isOwnAsset, readOwnAsset } from '../assets/access.ts'
import { isTaken, nameError } from '../assets/name.ts'
import { versionLimitError } from '../assets/rollback.ts'
import { type RequestContext, seconds } from '../context.ts'
import { newId } from '../db/id.ts'
import { createdAt } from '../db/marks.ts'
import { files, type uploads } from '../db/schema.ts'
import { insert, type Values } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import type { FileRow } from '../files/record.ts'
import { isLive } from '../files/tree/lifecycle.ts'
import { canCreateIn, whyNotCreated } from '../files/tree/placement.ts'
import { type ExpectedRevisions, revisionIn, writeError } from '../files/tree/revision.ts'
import { pathTo } from '../files/tree/walk.ts'
import { contentError, kindsFor } from './inspect.ts'
import type { CreateUpload } from './schema.ts'

/** What an upload is going to fill, as the statements that require it. */
interface Target {
  /** The name of the content, if it is known without a query. */
  name?: string
  /** Creates the target before the upload, if it exists from the start. */
  create: SQL[]
  /** The columns of the upload's row that depend on the target. */
  columns: Pick<Values<typeof uploads>, 'upload_type'> & Partial<Values<typeof uploads>>
  /** The rest of the SELECT that the row is inserted from: no row when the upload may not start. */
  from: SQL
  /** Returns why the upload may not start, after nothing was written. */
  explain: () => Promise<ApiError | undefined>
}

type For<Purpose extends CreateUpload['purpose']> = Extract<CreateUpload, { purpose: Purpose }>

/**
 * The target of an upload, by its purpose.
 *
 * @throws VALIDATION_FAILED, UPLOAD_TOO_LARGE; `explain` returns FILE_PARENT_NOT_FOUND, FILE_PARENT_NOT_FOLDER,
 * LIMIT_REACHED (folder_depth, versions), FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY, PRECONDITION_FAILED,
 * ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME
 */
export function targetOf(ctx: RequestContext, input: CreateUpload, expected: ExpectedRevisions): Target {
  if (input.purpose === 'replacement') return replacement(ctx, input, expected)
  if (input.purpose === 'version') return newVersion(ctx, input)
  const error = contentError(input.asset_type, input)
  if (error) throw error
  return input.purpose === 'file' ? newFile(ctx, input) : newAsset(ctx, input)
}

/** A pending file, in its place from the start, below folders that are all live. */
function newFile(ctx: RequestContext, input: For<'file'>): Target {
  const { name, asset_type, size_bytes, mime_type } = input
  const { user_id, config } = ctx
  const [id, now, parent_id] = [newId(user_id), createdAt(seconds(ctx), user_id), input.parent_id ?? null]
  const row = {
    id,
    owner_id: user_id,
    parent_id,
    name,
    asset_type,
    size_bytes,
    mime_type,
    processing_state: 'pending',
    created_at: now,
    updated_at: now,
  } as const
  return {
    name,
    create: [insert(files, row, sql`WHERE ${canCreateIn(parent_id, user_id, config.MAX_FOLDER_DEPTH)}`)],
    columns: { upload_type: 'file', file_id: id },
    from: sql`FROM files WHERE id = ${id}`,
    explain: () => whyNotCreated(ctx, parent_id),
  }
}

/** A file of the caller's that has had content, at an expected revision. It stays as it is until completion. */
function replacement(
  { db, user_id }: RequestContext,
  input: For<'replacement'>,
  expected: ExpectedRevisions,
): Target {
  const { file_id } = input
  return {
    create: [],
    columns: {
      upload_type: 'file',
      file_id,
      replaces: 1,
      expected_revisions: expected && JSON.stringify(expected),
    },
    from: sql`FROM files WHERE id = ${file_id} AND ${isLive(file_id, user_id)} AND ${revisionIn(expected)}
      AND asset_type IN ${listOf(kindsFor(input))} AND processing_state IN ('ready', 'failed')`,
    explain: async () => {
      const path = await db.all<FileRow>(pathTo(file_id))
      return writeError(path, user_id, expected) ?? (path[0] && replacementError(path[0], input))
    },
  }
}

/** Why the content of a file can't be replaced by this; undefined when it can. */
function replacementError(
  { asset_type, processing_state }: FileRow,
  input: For<'replacement'>,
): ApiError | undefined {
  if (asset_type === 'folder') return new ApiError('FILE_IS_FOLDER')
  const error = contentError(asset_type, input)
  if (error || processing_state === 'ready' || processing_state === 'failed') return error
  return new ApiError('FILE_NOT_READY', {
    detail: 'Complete or abort the upload that brings its first content.',
  })
}

/** An asset that exists from completion on, under a free name. */
function newAsset(ctx: RequestContext, { name, asset_type, visibility }: For<'asset'>): Target {
  return {
    name,
    create: [],
    columns: { upload_type: 'game_asset', asset_type, name, visibility },
    from: sql`WHERE NOT ${isTaken(name, ctx.user_id)}`,
    explain: () => nameError(ctx, name),
  }
}

/** An asset of the caller's that has room for one more version. */
function newVersion(ctx: RequestContext, input: For<'version'>): Target {
  const { config, user_id } = ctx
  const { asset_id } = input
  return {
    create: [],
    columns: { upload_type: 'game_asset', asset_id },
    from: sql`FROM game_assets WHERE ${isOwnAsset(asset_id, user_id)} AND type IN ${listOf(kindsFor(input))}
      AND current_version < ${config.MAX_VERSIONS_PER_ASSET}`,
    explain: async () => {
      const asset = await readOwnAsset(ctx, asset_id)
      return contentError(asset.type, input) ?? versionLimitError(asset, config)
    },
  }
}

function listOf(kinds: string[]): SQL {
  return kinds.length > 0 ? sql`${kinds}` : sql`(NULL)`
}

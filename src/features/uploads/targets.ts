import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { type ExpectedRevisions, revisionError, revisionIn } from '../../platform/db/revision.ts'
import type { uploads } from '../../platform/db/schema.ts'
import type { Prepared, Slot, Values } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { isOwnAsset, readOwnAsset } from '../assets/access.ts'
import { isTaken, nameError } from '../assets/name.ts'
import { versionLimitError } from '../assets/rollback.ts'
import { versionCount } from '../assets/row.ts'
import type { AssetPage } from '../assets/schema.ts'
import { insertItem } from '../files/create.ts'
import type { FileRow } from '../files/row.ts'
import { isLive, writeError } from '../files/tree/lifecycle.ts'
import { whyNotCreated } from '../files/tree/placement.ts'
import { pathTo } from '../files/tree/walk.ts'
import { type ContentKind, contentError, kindsFor } from './content-kinds.ts'
import type { CreateUpload } from './schema.ts'

/** The values that a row of `uploads` and its condition take from the target. */
export type TargetValue =
  | 'owner_id'
  | 'file_id'
  | 'asset_id'
  | 'expected_revisions'
  | 'asset_type'
  | 'name'
  | 'visibility'
  | 'notes'
  | 'page'
  | 'kinds'
  | 'max_versions'
type TargetSlot = Slot<TargetValue>

/** The target of an upload: the file or asset that gets the content, as the parts of the batch that starts the upload. */
export interface Target {
  /** The name of the target, if no query is needed to know it. */
  name?: string
  /** The statements that create the target before the upload; none for a target that exists, or that completion creates. */
  create: Prepared[]
  /** The key of the statement that inserts the upload, together with the names of the given `values`. */
  shape: string
  /** The values of `columns` and `from`. */
  values: { [Name in TargetValue]?: unknown }
  /** The columns of the upload's row that depend on the target. */
  columns: (slot: TargetSlot) => Pick<Values<typeof uploads>, 'upload_type'> & Partial<Values<typeof uploads>>
  /** SQL: the rest of the SELECT that the row is inserted from. It selects no row when the upload may not start. */
  from: (slot: TargetSlot) => SQL
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
    shape: 'file',
    values: { file_id: id },
    columns: (slot) => ({ upload_type: 'file', file_id: slot('file_id') }),
    from: (slot) => sql`FROM files WHERE id = ${slot('file_id')}`,
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
  return {
    create: [],
    shape: 'replacement',
    values: {
      file_id,
      expected_revisions: expected ? JSON.stringify(expected) : undefined,
      kinds: JSON.stringify(kindsFor(input)),
    },
    columns: (slot) => ({
      upload_type: 'file',
      file_id: slot('file_id'),
      replaces: 1,
      expected_revisions: expected ? slot('expected_revisions') : null,
    }),
    from: (
      slot,
    ) => sql`FROM files WHERE id = ${slot('file_id')} AND ${isLive(slot('file_id'), slot('owner_id'))}
      AND ${revisionIn(expected && slot('expected_revisions'))}
      AND ${isOneOf('asset_type', slot('kinds'))} AND processing_state IN ('ready', 'failed')`,
    explain: async () => {
      const path = await db.read<FileRow>(pathTo({ id: file_id }))
      return (
        writeError(path, user_id, expected) ??
        (path[0] && replacementError(path[0], (kind) => contentError(kind, input)))
      )
    },
  }
}

/**
 * Why new content can't replace the content of a file; undefined when it can. `errorOf` is why the content can't be of a kind.
 */
export function replacementError(
  { asset_type, processing_state }: Pick<FileRow, 'asset_type' | 'processing_state'>,
  errorOf: (kind: ContentKind) => ApiError | undefined,
): ApiError | undefined {
  if (asset_type === 'folder') return new ApiError('FILE_IS_FOLDER')
  const error = errorOf(asset_type)
  if (error || processing_state === 'ready' || processing_state === 'failed') return error
  return new ApiError('FILE_NOT_READY', {
    detail: 'Complete or abort the first upload of the file.',
  })
}

/** A new asset, which completion creates. Its name has to be free. */
function newAsset(ctx: RequestContext, input: For<'asset'>): Target {
  const { name, asset_type, visibility, notes } = input
  const page = storedPage(input)
  return {
    name,
    create: [],
    shape: 'asset',
    values: { asset_type, name, visibility, notes: notes ?? null, page },
    columns: (slot) => ({
      upload_type: 'game_asset',
      asset_type: slot('asset_type'),
      name: slot('name'),
      visibility: slot('visibility'),
      notes: slot('notes'),
      page: page && slot('page'),
    }),
    from: (slot) => sql`WHERE NOT ${isTaken(slot('name'), slot('owner_id'))}`,
    explain: () => nameError(ctx, name),
  }
}

/** The page of a new asset as its upload keeps it until completion; undefined when the request says nothing of it. */
function storedPage({ description, tags, metadata, listed }: AssetPage): string | undefined {
  const page = JSON.stringify({ description, tags, metadata, listed })
  return page === '{}' ? undefined : page
}

/** A new version of an asset of the caller's that has fewer than MAX_VERSIONS_PER_ASSET, and is at an expected revision. */
function newVersion(ctx: RequestContext, input: For<'version'>, expected: ExpectedRevisions): Target {
  const { config } = ctx
  const { asset_id } = input
  return {
    create: [],
    shape: 'version',
    values: {
      asset_id,
      notes: input.notes ?? null,
      expected_revisions: expected ? JSON.stringify(expected) : undefined,
      kinds: JSON.stringify(kindsFor(input)),
      max_versions: config.MAX_VERSIONS_PER_ASSET,
    },
    columns: (slot) => ({
      upload_type: 'game_asset',
      asset_id: slot('asset_id'),
      notes: slot('notes'),
      expected_revisions: expected ? slot('expected_revisions') : null,
    }),
    from: (slot) => sql`FROM game_assets WHERE ${isOwnAsset(slot('asset_id'), slot('owner_id'))}
      AND ${revisionIn(expected && slot('expected_revisions'))}
      AND ${isOneOf('type', slot('kinds'))} AND ${versionCount} < ${slot('max_versions')}`,
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

/** SQL: whether a column's value is one of a JSON list. */
function isOneOf(column: string, list: SQL): SQL {
  return sql`${sql.raw(column)} IN (SELECT value FROM json_each(${list}))`
}

import { type RequestContext, seconds } from '../../platform/context.ts'
import { newId } from '../../platform/db/id.ts'
import { type ExpectedRevisions, listOfRevisions, revisionError } from '../../platform/db/revision.ts'
import type { Bindable, Prepared } from '../../platform/db/sql.ts'
import { ApiError } from '../../platform/errors.ts'
import { ownAsset, readOwnAsset } from '../assets/access.ts'
import { nameError } from '../assets/name.ts'
import { versionLimitError, versionOf } from '../assets/row.ts'
import { variantError } from '../assets/variants.ts'
import type { VersionContent } from '../assets/version-schema.ts'
import { insertItem } from '../files/create.ts'
import { pathTo, writeError } from '../files/path.ts'
import { whyNotCreated } from '../files/placement.ts'
import { contentError, kindsFor, replacementError } from './content-kinds.ts'
import type { CreateUpload } from './schema.ts'

/** The purpose of an upload's content. */
export type Purpose = CreateUpload['purpose']

/** The values of an upload's row and of its condition that a target may replace. */
export const noTarget = {
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
  platform: null,
  version: null,
}

/** The target of an upload: the file or asset that gets the content, as the parts of the batch that starts the upload. */
export interface Target {
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
 * LIMIT_REACHED (folder_depth, versions, variants), FILE_NOT_FOUND, FILE_IS_FOLDER, FILE_NOT_READY, PRECONDITION_FAILED,
 * ASSET_NOT_FOUND, DUPLICATE_ASSET_NAME, VERSION_NOT_FOUND, DUPLICATE_PLATFORM
 */
export function targetOf(ctx: RequestContext, input: CreateUpload, expected: ExpectedRevisions): Target {
  if (input.purpose === 'replacement') return replacement(ctx, input, expected)
  if (input.purpose === 'version') return newVersion(ctx, input, expected)
  if (input.purpose === 'variant') return newVariant(ctx, input, expected)
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
function versionColumnsIn({ notes, min_build, max_build, platform }: VersionContent) {
  return {
    notes: notes ?? null,
    min_build: min_build ?? null,
    max_build: max_build ?? null,
    platform: platform ?? null,
  }
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

/** A variant of a version of the caller's, for a platform that is free in it. The asset is at an expected revision. */
function newVariant(
  { db, user_id }: RequestContext,
  input: For<'variant'>,
  expected: ExpectedRevisions,
): Target {
  const { asset_id, version, platform } = input
  const kinds = JSON.stringify(kindsFor(input))
  return {
    create: [],
    values: { asset_id, version, platform, expected: listOfRevisions(expected), kinds },
    explain: async () => {
      const {
        assets: [asset],
        versions: [found],
      } = await db.read({
        assets: ownAsset({ id: asset_id, user_id }),
        versions: versionOf({ asset_id, version }),
      })
      if (!asset) return new ApiError('ASSET_NOT_FOUND')
      const error = revisionError(asset, expected, 'asset') ?? contentError(asset.type, input)
      if (error) return error
      return found ? variantError(found, platform) : new ApiError('VERSION_NOT_FOUND')
    },
  }
}

import { z } from '@hono/zod-openapi'
import { assetTypes, fileTypes, processingStates } from '../../platform/db/enumerations.ts'
import {
  Blocked,
  Cursor,
  FilePageLimit,
  Id,
  IdInPath,
  KnownUserId,
  page,
  Timestamp,
} from '../../platform/http/fields.ts'
import { reject } from '../../platform/http/validation.ts'
import { isMisleading } from '../../platform/lib/text.ts'
import { fileSorts, orders, sorts } from './sort.ts'

/** The most code points of a name. */
export const MAX_NAME_CODE_POINTS = 255

/** A name in NFC, as it is stored, or why it is not allowed. */
type ParsedName = { name: string; error?: never } | { error: string; name?: never }

/** Parses the name of a file or folder (docs/conformance.md#files). Two items in one folder may have the same name. */
function parseName(input: unknown): ParsedName {
  if (typeof input !== 'string') return { error: 'A name is required, as a string.' }
  if (!input.isWellFormed()) return { error: 'A name may not contain half of a surrogate pair.' }
  const name = input.normalize('NFC')
  if (name === '') return { error: 'A name may not be empty.' }
  if ([...name].length > MAX_NAME_CODE_POINTS)
    return { error: `A name may have at most ${MAX_NAME_CODE_POINTS} code points.` }
  if (name === '.' || name === '..') return { error: 'A name may not be "." or "..".' }
  if (/[/\\]/.test(name)) return { error: 'A name may not contain "/" or "\\".' }
  if (/\p{Cc}/u.test(name)) return { error: 'A name may not contain control characters.' }
  if (isMisleading(name))
    return { error: 'A name may not contain characters that turn the writing direction.' }
  if (name !== name.trim()) return { error: 'A name may not begin or end with white space.' }
  return { name }
}

/** The type of an item. */
export const ItemType = z.enum(assetTypes).openapi({ 'x-name': 'ItemType' })

/** The type of a file, which has content. */
export const FileType = z.enum(fileTypes).openapi({ 'x-name': 'FileType' })

/** The name of a file or folder in a request; FILE_INVALID_NAME when it is missing or not allowed. */
export const FileName = z
  .unknown()
  .transform((input, context) => {
    const { name, error } = parseName(input)
    return name ?? reject(context, 'FILE_INVALID_NAME', error ?? '')
  })
  .openapi({
    'x-name': 'FileName',
    type: 'string',
    minLength: 1,
    maxLength: MAX_NAME_CODE_POINTS,
    'x-description': `Stored in Unicode NFC; 1–${MAX_NAME_CODE_POINTS} code points; not \`.\` or \`..\`; no \`/\`, \`\\\`, control or bidirectional control characters, no white space at either end`,
    example: 'Maps',
  })

const common = {
  id: Id,
  owner_id: KnownUserId,
  parent_id: Id.nullable().openapi({ description: 'null at root level' }),
  name: z.string(),
  asset_type: ItemType,
  size_bytes: z.int().openapi({ description: '0 for folders' }),
  is_public: z
    .boolean()
    .openapi({ description: 'Every signed-in user may read the item and everything in it' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  blocked: Blocked,
  shared: z.literal(true).optional().openapi({
    description:
      'true: other users have shares of it, and the caller is its owner. Absent otherwise. An expired share counts for up to five minutes',
  }),
}

const content = {
  mime_type: z.string().nullable().openapi({ description: 'null for folders' }),
  processing_state: z.enum(processingStates).nullable().openapi({ description: 'null for folders' }),
}

const folder = {
  id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60',
  owner_id: 'ada',
  parent_id: null,
  name: 'Maps',
  asset_type: 'folder',
  size_bytes: 0,
  is_public: false,
  created_at: 1_795_257_600,
  updated_at: 1_795_257_600,
}
const file = {
  ...folder,
  id: '019a7e2d-1c40-7000-8f21-63d0a9b7e415',
  parent_id: folder.id,
  name: 'forest.png',
  asset_type: 'file',
  size_bytes: 20_971_520,
  mime_type: 'image/png',
  processing_state: 'ready',
}

/** The record in the answer to creating a folder or changing an item (docs/conformance.md#files). */
export const ChangedFile = z.object(common).openapi('ChangedFile', { example: folder })

/** The record of one item. */
export const FileRecord = ChangedFile.extend(content).openapi('FileRecord', { example: file })

/** The record in lists. Folders have a null `shortcode`; other items don't have the member. */
export const ListedFile = FileRecord.extend({
  shortcode: z.null().optional().openapi({ description: 'Always null, and only on folders' }),
}).openapi('ListedFile', {
  example: undefined,
})

/** One folder of the breadcrumb path (docs/conformance.md#files). */
const Ancestor = z
  .object({ id: Id, name: z.string(), asset_type: ItemType })
  .openapi('Ancestor', { example: { id: folder.id, name: 'Maps', asset_type: 'folder' } })

/** The answer to a list of items. */
export const FilePage = page({ files: z.array(ListedFile) }).openapi('FilePage')
/** The answer to a request for one item. */
export const FileWithAncestors = z
  .object({
    file: FileRecord,
    ancestors: z.array(Ancestor).openapi({ description: 'From the root to the direct parent' }),
  })
  .openapi('FileWithAncestors')

/** A URL to download content (docs/conformance.md#files). */
export const DownloadUrl = z
  .object({
    url: z.url().openapi({ example: 'https://storage.example/a7e2?X-Amz-Signature=5f0c' }),
    expires_at: Timestamp,
  })
  .openapi('DownloadUrl')

/** The most URLs that one request asks for. */
export const MAX_URLS = 100

/** The errors of a request for the URL of a file. */
export const urlErrors = ['FILE_NOT_FOUND', 'FILE_IS_FOLDER', 'FILE_NOT_READY'] as const

/** The body of a request for the URLs of files. */
export const GetDownloadUrls = z
  .object({
    ids: z.array(Id).min(1).max(MAX_URLS).openapi({ description: 'An id may be repeated' }),
  })
  .openapi('GetDownloadUrls', { example: { ids: [file.id] } })

/** The URL of one of several files, or the code of the error that a request for it alone gets. */
const UrlOfFile = z.union([
  DownloadUrl.extend({ id: Id }).openapi('FileUrl'),
  z
    .object({ id: Id, code: z.enum(urlErrors) })
    .openapi('FileUrlError', { example: { id: folder.id, code: 'FILE_IS_FOLDER' } }),
])
export type UrlOfFile = z.output<typeof UrlOfFile>

/** The answer to a request for the URLs of files. */
export const DownloadUrls = z
  .object({ urls: z.array(UrlOfFile).openapi({ description: 'In the order of `ids`' }) })
  .openapi('DownloadUrls')

/** The errors of a request that names a parent folder. */
export const parentErrors = ['FILE_PARENT_NOT_FOUND', 'FILE_PARENT_NOT_FOLDER'] as const

/** The id of an item in a path. */
export const FileId = z.object({ id: IdInPath })

/** The query of a list of items. */
export const ListFiles = z.object({
  parent_id: z
    .string()
    .optional()
    .openapi({ description: 'The folder to list; omitted means the root', example: folder.id }),
  asset_type: ItemType.optional(),
  limit: FilePageLimit,
  cursor: Cursor,
  sort: z.enum(fileSorts).default('name'),
  order: z
    .enum(orders)
    .optional()
    .openapi({
      description: `Default: ${fileSorts.map((sort) => `${sort} ${sorts[sort].order}`).join(', ')}`,
    }),
})
export type ListFiles = z.output<typeof ListFiles>

/** The body of a request that creates a folder. */
export const CreateFolder = z
  .object({
    name: FileName,
    asset_type: z.literal(
      'folder',
      'must be folder: content comes in through POST /v1/files/content or POST /v1/uploads',
    ),
    parent_id: z
      .string()
      .nullish()
      .openapi({ description: 'The folder to create in; omitted or null: the root' }),
  })
  .openapi('CreateFolder', { example: { name: 'Maps', asset_type: 'folder' } })
export type CreateFolder = z.output<typeof CreateFolder>

const changeable = z.object({
  name: FileName.optional(),
  parent_id: z
    .string()
    .nullable()
    .optional()
    .openapi({ description: 'The folder to move into; null: the root' }),
  is_public: z.boolean().optional(),
})
/** The error of a change without members. */
const sendSome = `Send at least one of ${Object.keys(changeable.shape).join(', ')}.`

/** The body of a request that changes an item: at least one member. */
export const EditFile = changeable
  .transform((change, context) =>
    Object.values(change).some((member) => member !== undefined)
      ? change
      : reject(context, 'VALIDATION_FAILED', sendSome),
  )
  .openapi('EditFile', { example: { name: 'Old maps' } })
export type EditFile = z.output<typeof EditFile>

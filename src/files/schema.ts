import { z } from '@hono/zod-openapi'
import { assetTypes, processingStates } from '../db/schema.ts'
import { Blocked, Cursor, FilePageLimit, Id, IdInPath, page, Timestamp } from '../http/fields.ts'
import { reject } from '../http/validation.ts'
import { MAX_NAME_CODE_POINTS, parseName } from './name.ts'
import { fileSorts, orders, sorts } from './sort.ts'

const AssetType = z.enum(assetTypes)

/** The name of a file or folder in a request; FILE_INVALID_NAME when it is missing or not allowed. */
export const FileName = z
  .unknown()
  .transform((input, context) => {
    const { name, error } = parseName(input)
    return name ?? reject(context, 'FILE_INVALID_NAME', error ?? '')
  })
  .openapi({
    type: 'string',
    minLength: 1,
    maxLength: MAX_NAME_CODE_POINTS,
    description: `Stored in Unicode NFC; 1–${MAX_NAME_CODE_POINTS} code points; not \`.\` or \`..\`; no \`/\`, \`\\\`, control or bidirectional control characters, no white space at either end`,
    example: 'Maps',
  })

const common = {
  id: Id,
  owner_id: z.string(),
  parent_id: Id.nullable().openapi({ description: 'null at root level' }),
  name: z.string(),
  asset_type: AssetType,
  size_bytes: z.int(),
  is_public: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  blocked: Blocked,
}

const content = {
  mime_type: z.string().nullable().openapi({ description: 'null for folders' }),
  processing_state: z.enum(processingStates).nullable().openapi({ description: 'null for folders' }),
}

/** The record in the answer to creating a folder or changing an item (specification §2.1). */
export const ChangedFile = z.object(common).openapi('ChangedFile')

/** The record of one item. */
export const FileRecord = z.object({ ...common, ...content }).openapi('FileRecord')

/** The record in lists. Folders have a null shortcode; other items have none. */
export const ListedFile = z
  .object({ ...common, ...content, shortcode: z.null().optional() })
  .openapi('ListedFile')

/** One folder of the breadcrumb path (specification §2.2). */
const Ancestor = z.object({ id: Id, name: z.string(), asset_type: AssetType }).openapi('Ancestor')

export const FileList = page({ files: z.array(ListedFile) })
export const FileWithAncestors = z.object({
  file: FileRecord,
  ancestors: z.array(Ancestor).openapi({ description: 'From the root to the direct parent' }),
})
/** Specification §2.4. */
export const DownloadUrl = z.object({ url: z.url(), expires_at: Timestamp }).openapi('DownloadUrl')

/** The errors of a request that names a parent folder. */
export const parentErrors = ['FILE_PARENT_NOT_FOUND', 'FILE_PARENT_NOT_FOLDER'] as const

export const FileId = z.object({ id: IdInPath })

export const ListFiles = z.object({
  parent_id: z.string().optional().openapi({ description: 'The folder to list; omitted means the root' }),
  asset_type: AssetType.optional(),
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

export const CreateFolder = z.object({
  name: FileName,
  asset_type: z.literal('folder', 'must be folder: content comes in through POST /v1/uploads'),
  parent_id: z
    .string()
    .nullish()
    .openapi({ description: 'The folder to create in; omitted or null: the root' }),
})
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
const sendSome = `Send at least one of ${Object.keys(changeable.shape).join(', ')}.`

export const EditFile = changeable.transform((change, context) =>
  Object.values(change).some((member) => member !== undefined)
    ? change
    : reject(context, 'VALIDATION_FAILED', sendSome),
)
export type EditFile = z.output<typeof EditFile>

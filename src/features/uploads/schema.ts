import { z } from '@hono/zod-openapi'
import { gameAssetTypes, uploadTypes } from '../../platform/db/enumerations.ts'
import { Id, IdInPath, MimeType, Timestamp } from '../../platform/http/fields.ts'
import { reject } from '../../platform/http/validation.ts'
import {
  AssetName,
  type AssetPage,
  AssetType,
  AssetVisibility,
  GameAsset,
  pageFields,
} from '../assets/schema.ts'
import {
  EMPTY_RANGE,
  isEmptyRange,
  Version,
  type VersionContent,
  VersionNumber,
  versionFields,
} from '../assets/version-schema.ts'
import { FileName, FileRecord, FileType } from '../files/schema.ts'

const Sha256 = z
  .string()
  .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, 'must be a SHA-256 in base64')
  .openapi({
    'x-name': 'Sha256',
    'x-description': 'A SHA-256 in base64',
    example: 'm0tGO9kzJYWuYsqpe2gR4wMqfJpGYQcUwgwCZBmC2TA=',
  })

const content = {
  size_bytes: z.int().min(0).openapi({
    'x-name': 'ContentSize',
    'x-description': 'The exact number of bytes of the content; 0 for file and chat_attachment only',
  }),
  mime_type: MimeType,
  checksum_sha256: Sha256.optional().openapi({
    description:
      'Of content that is sent in one PUT. With a checksum, only these bytes can become the content: always send one',
  }),
}

/** Content for a new file, or with `file_id`, new content for an existing one. */
const FileContent = z
  .object({
    upload_type: z.literal('file'),
    file_id: z.string().optional().openapi({ description: 'The file whose content to replace' }),
    name: FileName.optional(),
    parent_id: z
      .string()
      .nullish()
      .openapi({ description: 'The folder of the new file; omitted or null: the root' }),
    asset_type: FileType.optional().openapi({ description: 'Default: file' }),
    ...content,
  })
  .openapi('StartFileUpload', {
    example: {
      upload_type: 'file',
      name: 'forest.png',
      parent_id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60',
      size_bytes: 20_971_520,
      mime_type: 'image/png',
    },
  })

/** Content for a new asset, or with `asset_id`, a new version of an existing one, or with `version` too, a variant of that version. */
const AssetContent = z
  .object({
    upload_type: z.literal('game_asset'),
    asset_id: z.string().optional().openapi({ description: 'The asset to add a version to' }),
    version: VersionNumber.optional().openapi({
      type: 'integer',
      description: 'The version of the asset to add a variant to, for `platform`',
    }),
    name: AssetName.optional(),
    asset_type: AssetType.optional(),
    visibility: AssetVisibility.optional().openapi({ description: 'Default: private' }),
    ...pageFields,
    ...versionFields,
    ...content,
  })
  .openapi('StartAssetUpload', {
    example: {
      upload_type: 'game_asset',
      name: 'Castle',
      asset_type: 'world',
      size_bytes: 8_388_608,
      mime_type: 'application/octet-stream',
    },
  })

/** Adds each missing required member with a value that its schema rejects, so that errors come in the order of the members. */
function withMissing(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || 'file_id' in body || 'asset_id' in body) return body
  return {
    name: null,
    ...('upload_type' in body && body.upload_type === 'game_asset' && { asset_type: null }),
    ...body,
  }
}

/** The body of a request that starts an upload. `purpose` says what the content is for. Members that contradict each other are rejected. */
export const CreateUpload = z
  .preprocess(withMissing, z.discriminatedUnion('upload_type', [FileContent, AssetContent]))
  .transform((body, context) => {
    const { size_bytes, mime_type, checksum_sha256 } = body
    const declared = { size_bytes, mime_type, checksum_sha256 }
    if (body.upload_type === 'file') {
      const { file_id, name, parent_id, asset_type } = body
      if (file_id !== undefined)
        return alone(context, 'file_id', { name, parent_id, asset_type })
          ? { purpose: 'replacement' as const, file_id, ...declared }
          : z.NEVER
      if (name === undefined)
        return reject(context, 'FILE_INVALID_NAME', 'A name is required, as a string.', 'name')
      return { purpose: 'file' as const, name, parent_id, asset_type: asset_type ?? 'file', ...declared }
    }
    const { asset_id, name, asset_type, visibility, notes, min_build, max_build, platform } = body
    if (isEmptyRange(body)) return reject(context, 'VALIDATION_FAILED', EMPTY_RANGE, 'min_build')
    const { description, tags, metadata, listed, rating } = body
    const page: AssetPage = { description, tags, metadata, listed, rating }
    if (body.version !== undefined) {
      if (asset_id === undefined)
        return reject(context, 'VALIDATION_FAILED', 'needs the asset_id of its asset', 'version')
      if (platform === undefined)
        return reject(context, 'VALIDATION_FAILED', 'A variant needs its platform.', 'platform')
      const others = { name, asset_type, visibility, notes, min_build, max_build, ...page }
      return alone(context, 'version', others)
        ? { purpose: 'variant' as const, asset_id, version: body.version, platform, ...declared }
        : z.NEVER
    }
    const version: VersionContent = { notes, min_build, max_build, platform }
    if (asset_id !== undefined)
      return alone(context, 'asset_id', { name, asset_type, visibility, ...page })
        ? { purpose: 'version' as const, asset_id, ...version, ...declared }
        : z.NEVER
    if (name === undefined)
      return reject(context, 'ASSET_NAME_REQUIRED', 'Send a name, or an asset_id.', 'name')
    if (asset_type === undefined)
      return reject(
        context,
        'INVALID_ASSET_TYPE',
        `The type must be ${gameAssetTypes.slice(0, -1).join(', ')} or ${gameAssetTypes.at(-1)}.`,
        'asset_type',
      )
    return {
      purpose: 'asset' as const,
      name,
      asset_type,
      visibility: visibility ?? 'private',
      ...version,
      ...declared,
      ...page,
    }
  })
  .openapi('StartUpload')
export type CreateUpload = z.output<typeof CreateUpload>

/** Whether the body has `member` without any of the `others`. Rejects each of the others that it has. */
function alone(context: z.RefinementCtx, member: string, others: Record<string, unknown>): boolean {
  const contradicting = Object.keys(others).filter((name) => others[name] !== undefined)
  for (const name of contradicting)
    reject(context, 'VALIDATION_FAILED', `can’t be combined with ${member}`, name)
  return contradicting.length === 0
}

/** The ETag of the answer to a part's PUT, with or without quotes. R2's have 32 characters, the simulator's 171. */
const ETag = z
  .string()
  .regex(/^("[!#-~]{1,192}"|[!#-~]{1,192})$/, 'must be the ETag in the answer to the PUT')
  .transform((tag) => tag.replaceAll('"', ''))
  .openapi({
    'x-name': 'PartETag',
    'x-description': 'The ETag of the answer to the part’s PUT, with or without its quotes',
    type: 'string',
    example: '"9bb58f26192e4ba00f01e2e7b136bbd8"',
  })

const MAX_PARTS = 10_000
const PartNumber = z.int().min(1).max(MAX_PARTS).openapi({ 'x-name': 'PartNumber', example: 1 })

const UploadedPart = z
  .object({
    part_number: PartNumber,
    etag: ETag,
    checksum_sha256: Sha256.optional().openapi({
      description:
        'Of the part’s bytes. A recorded part returns it, so that whoever resumes the upload can compare the part before it is left out. The service compares it with nothing',
    }),
  })
  .openapi('UploadedPart')

const Parts = z
  .array(UploadedPart)
  .max(MAX_PARTS)
  .refine(
    (parts) => new Set(parts.map(({ part_number }) => part_number)).size === parts.length,
    'must name each part once',
  )

/** The body of a request that records parts and asks for URLs. */
export const PresignParts = z
  .object({
    part_numbers: z
      .array(PartNumber)
      .max(1_000)
      .optional()
      .openapi({ description: 'The parts to get URLs for' }),
    uploaded: Parts.optional().openapi({ description: 'Parts that have arrived, to be recorded' }),
  })
  .openapi('PresignParts', {
    example: {
      part_numbers: [2, 3],
      uploaded: [
        {
          part_number: 1,
          etag: '"9bb58f26192e4ba00f01e2e7b136bbd8"',
          checksum_sha256: 'm0tGO9kzJYWuYsqpe2gR4wMqfJpGYQcUwgwCZBmC2TA=',
        },
      ],
    },
  })
export type PresignParts = z.output<typeof PresignParts>

/** The body of a request that completes an upload. */
export const CompleteUpload = z
  .object({
    parts: Parts.optional().openapi({
      description: 'All parts of a multipart upload; default: those that were recorded',
    }),
    name: AssetName.optional().openapi({
      description: 'For a new asset: another name, when the name given at the start has been taken',
    }),
  })
  .openapi('CompleteUpload', {
    example: { parts: [{ part_number: 1, etag: '"9bb58f26192e4ba00f01e2e7b136bbd8"' }] },
  })
export type CompleteUpload = z.output<typeof CompleteUpload>

/** The headers that a signed URL asks for. */
const SignedHeaders = z.record(z.string(), z.string()).openapi({
  'x-name': 'SignedHeaders',
  'x-description':
    'Send exactly these headers, and no others that storage would keep. Browsers and most libraries set Content-Length themselves',
  example: { 'Content-Type': 'image/png', 'Content-Length': '20971520' },
})

/** A URL to send content to, or a part of the content. */
const PutUrl = z.url().openapi({
  'x-name': 'PutUrl',
  'x-description': 'The URL to send the content to, or a part of the content',
  example: 'https://storage.example/a7e2?X-Amz-Signature=5f0c',
})

/** The members of every upload (docs/conformance.md#uploads). */
export const UploadRecord = z
  .object({
    id: Id,
    upload_type: z.enum(uploadTypes),
    size_bytes: z.int().openapi({ example: 20_971_520 }),
    expires_at: Timestamp,
    file: FileRecord.optional().openapi({
      description: 'The file whose content is uploaded; omitted for an asset',
    }),
  })
  .openapi('UploadRecord')

const method = z.literal('PUT')

/** An open upload whose content is sent in one PUT. */
export const SingleUpload = UploadRecord.extend({
  state: z.literal('open'),
  method,
  url: PutUrl,
  url_expires_at: Timestamp,
  headers: SignedHeaders,
}).openapi('SingleUpload')

/** An open upload whose content is sent in parts. */
export const MultipartUpload = UploadRecord.extend({
  state: z.literal('open'),
  method,
  multipart: z
    .object({
      part_size: z
        .int()
        .openapi({ description: 'The bytes of each part except the last', example: 8_388_608 }),
      part_count: z.int().openapi({ format: 'int32', example: 3 }),
      uploaded: z.array(UploadedPart).optional().openapi({ description: 'The recorded parts' }),
    })
    .openapi('Multipart'),
}).openapi('MultipartUpload')

/** An upload that takes no more content. */
const EndedUpload = UploadRecord.extend({
  state: z.enum(['processing', 'completed', 'failed']),
  processing_state: z
    .enum(['processing', 'ready', 'failed'])
    .optional()
    .openapi({ description: 'Only for content that is checked' }),
  reason: z.string().optional().openapi({ description: 'Why the upload has failed' }),
}).openapi('EndedUpload')

/** An open upload. No route answers with it alone, so it has to be registered to be described. */
export const OpenUpload = z.union([SingleUpload, MultipartUpload]).openapi('OpenUpload')

/** An upload, by its state. */
export const Upload = z.union([OpenUpload, EndedUpload]).openapi('Upload', {
  oneOf: [{ $ref: '#/components/schemas/OpenUpload' }, { $ref: '#/components/schemas/EndedUpload' }],
  discriminator: {
    propertyName: 'state',
    mapping: {
      open: '#/components/schemas/OpenUpload',
      processing: '#/components/schemas/EndedUpload',
      completed: '#/components/schemas/EndedUpload',
      failed: '#/components/schemas/EndedUpload',
    },
  },
})

/** The answer with the URLs of parts. */
export const PartUrls = z
  .object({
    parts: z.array(
      z
        .object({ part_number: PartNumber, url: PutUrl, url_expires_at: Timestamp, headers: SignedHeaders })
        .openapi('PartUrl'),
    ),
  })
  .openapi('PartUrls')

/** A completed upload with its file, or with its asset and the new version, or the version that has the new variant. */
export const CompletedUpload = z
  .union([
    z.object({ upload: EndedUpload, file: FileRecord }).openapi('CompletedFileUpload'),
    z.object({ upload: EndedUpload, asset: GameAsset, version: Version }).openapi('CompletedAssetUpload'),
  ])
  .openapi('CompletedUpload')

/** An upload whose content is being checked. */
export const ProcessingUpload = z
  .object({ upload: EndedUpload, file: FileRecord.optional() })
  .openapi('ProcessingUpload')

/** The id of an upload in a path. */
export const UploadId = z.object({ id: IdInPath })

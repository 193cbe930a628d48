import { z } from '@hono/zod-openapi'
import { FileName } from '../files/name.ts'
import { FileRecord } from '../files/schema.ts'
import { isPicture, pictureFormats } from './limits.ts'

const Timestamp = z.int().openapi({ description: 'Unix seconds' })

/** type/subtype (RFC 6838 §4.2), without parameters or wildcards; stored in lower case. */
const MimeType = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i,
    'must be type/subtype, like image/png, without parameters',
  )
  .transform((type) => type.toLowerCase())
  .openapi({ type: 'string', example: 'image/png' })

export const CreateUpload = z
  .object({
    upload_type: z.literal('file'),
    name: FileName,
    parent_id: z
      .string()
      .nullish()
      .openapi({ description: 'The folder to put it in; omitted or null: the root' }),
    asset_type: z.enum(['file', 'profile_pic', 'emote', 'chat_attachment']).default('file'),
    size_bytes: z
      .int()
      .min(0)
      .openapi({ description: 'Exactly as many as will be sent; 0 for file and chat_attachment only' }),
    mime_type: MimeType,
    checksum_sha256: z
      .string()
      .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, 'must be the SHA-256 of the content in base64')
      .optional(),
  })
  .superRefine(({ asset_type, size_bytes, mime_type }, context) => {
    if (!isPicture(asset_type)) return
    if (!pictureFormats.includes(mime_type))
      context.addIssue({
        code: 'custom',
        path: ['mime_type'],
        message: `must be one of ${pictureFormats.join(', ')}`,
      })
    if (size_bytes === 0)
      context.addIssue({ code: 'custom', path: ['size_bytes'], message: 'must be at least 1' })
  })
export type CreateUpload = z.output<typeof CreateUpload>

/** An upload (decisions, "Uploads"). While it is open it says how to send the content. */
export const Upload = z
  .object({
    id: z.string(),
    upload_type: z.enum(['file', 'game_asset']),
    state: z.enum(['open', 'completed', 'failed']),
    size_bytes: z.int(),
    expires_at: Timestamp,
    method: z.literal('PUT').optional(),
    url: z.url().optional().openapi({ description: 'Where to send the content, once' }),
    url_expires_at: Timestamp.optional(),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .openapi({ description: 'Send exactly these; a browser sets Content-Length by itself' }),
    file: FileRecord.optional(),
  })
  .openapi('Upload')

export const CompletedUpload = z.object({ upload: Upload, file: FileRecord })

export const UploadId = z.object({ id: z.string().openapi({ param: { name: 'id', in: 'path' } }) })

import { z } from '@hono/zod-openapi'
import { ApiError } from '../../platform/errors.ts'
import { ifNoneMatch } from '../../platform/http/entity-tags.ts'
import { mimeTypeIn } from '../../platform/http/fields.ts'
import { FileName, FileType } from '../files/schema.ts'

/** The query of a request that creates a file with its content. */
export const CreateContent = z.object({
  name: FileName.openapi({ param: { required: true } }),
  parent_id: z.string().optional().openapi({ description: 'The folder of the file; omitted: the root' }),
  asset_type: FileType.default('file'),
})
export type CreateContent = z.output<typeof CreateContent>

/** The condition of a read. */
export const ReadHeaders = ifNoneMatch(
  'The ETags that the client has. The answer is 304 when one of them is that of the content.',
)

/** The MIME type of a body, from its Content-Type, without parameters. @throws UNSUPPORTED_MEDIA_TYPE */
export function mimeTypeOf(contentType: string | undefined): string {
  const mime_type = mimeTypeIn(contentType)
  if (mime_type !== undefined) return mime_type
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { detail: 'Send the type of the content as Content-Type.' })
}

import { z } from '@hono/zod-openapi'

/** type/subtype (RFC 6838 §4.2), without parameters or wildcards; stored in lower case. */
export const MimeType = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i,
    'must be type/subtype, like image/png, without parameters',
  )
  .transform((type) => type.toLowerCase())
  .openapi({ 'x-name': 'MimeType', type: 'string', example: 'image/png' })

/** The MIME type in a Content-Type (RFC 9110 §8.3), without its parameters; undefined when it is missing or malformed. */
export function mimeTypeIn(contentType: string | undefined): string | undefined {
  return MimeType.safeParse(contentType?.split(';')[0]?.trim()).data
}

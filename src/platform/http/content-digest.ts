import { z } from '@hono/zod-openapi'
import { ApiError } from '../errors.ts'

const MEMBER = '[a-z*][a-z0-9_.*-]*=:[A-Za-z0-9+/]*={0,2}:'
const DIGESTS = new RegExp(`^ *${MEMBER}(?:[ \\t]*,[ \\t]*${MEMBER})* *$`)

/** A SHA-256 in base64. */
const SHA_256 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/** `Content-Digest` (RFC 9530) in the description. `BytesBody` compares it. */
export const ContentDigest = z.object({
  'content-digest': z
    .string()
    .optional()
    .openapi({
      param: { in: 'header' },
      description:
        'The SHA-256 of the body, like `sha-256=:BASE64:`. Only these bytes are taken: always send one. Other algorithms are ignored.',
    }),
})

/**
 * The SHA-256 of a Content-Digest in base64 (RFC 9530 §2): a dictionary of byte sequences (RFC 9651 §3.2), without parameters,
 * which no algorithm has. The last member of a name counts. Algorithms other than sha-256 are ignored.
 *
 * @throws VALIDATION_FAILED
 */
export function sha256In(header: string): string | undefined {
  if (!DIGESTS.test(header)) throw digestError('must be like sha-256=:BASE64:')
  const members = header.split(',').map((member) => member.trim())
  const own = members.filter((member) => member.startsWith('sha-256=')).at(-1)
  const sha256 = own?.slice('sha-256=:'.length, -1)
  if (sha256 !== undefined && !SHA_256.test(sha256)) throw digestError('sha-256 must be 32 bytes in base64')
  return sha256
}

function digestError(message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: `Content-Digest: ${message}.`,
    errors: [{ in: 'header', path: '/content-digest', message: `${message}.` }],
  })
}

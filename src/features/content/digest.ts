import type { Config } from '../../platform/config/variables.ts'
import { ApiError } from '../../platform/errors.ts'

const MEMBER = '[a-z*][a-z0-9_.*-]*=:[A-Za-z0-9+/]*={0,2}:'
const DIGESTS = new RegExp(`^ *${MEMBER}(?:[ \\t]*,[ \\t]*${MEMBER})* *$`)

/** The SHA-256 of content in base64. */
const SHA_256 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/** What a Content-Digest says: the SHA-256 in base64, undefined without one; or why it is malformed. */
type ParsedDigest = { sha256: string | undefined; error?: never } | { error: string; sha256?: never }

/**
 * Parses a Content-Digest (RFC 9530 §2): a dictionary of byte sequences (RFC 9651 §3.2), without parameters, which no algorithm
 * has. The last member of a name counts. Algorithms other than sha-256 are ignored.
 */
export function parseDigest(header: string): ParsedDigest {
  if (!DIGESTS.test(header)) return { error: 'must be like sha-256=:BASE64:' }
  const members = header.split(',').map((member) => member.trim())
  const own = members.filter((member) => member.startsWith('sha-256=')).at(-1)
  const sha256 = own?.slice('sha-256=:'.length, -1)
  if (sha256 !== undefined && !SHA_256.test(sha256)) return { error: 'sha-256 must be 32 bytes in base64' }
  return { sha256 }
}

/**
 * Rejects bytes that have not the declared SHA-256 (`declared`), and a request without one where it is required. `found`: the
 * SHA-256 of the bytes. Both are in base64.
 *
 * @throws VALIDATION_FAILED, UPLOAD_MISMATCH
 */
export function verifyDigest(
  { config }: { config: Pick<Config, 'REQUIRE_CHECKSUM'> },
  found: string,
  declared: string | undefined,
): void {
  if (declared === undefined && config.REQUIRE_CHECKSUM)
    throw new ApiError('VALIDATION_FAILED', {
      detail: 'Content-Digest is required here.',
      errors: [{ in: 'header', path: '/content-digest', message: 'must be like sha-256=:BASE64:' }],
    })
  if (declared !== undefined && declared !== found)
    throw new ApiError('UPLOAD_MISMATCH', { detail: `The SHA-256 of what arrived is ${found}.` })
}

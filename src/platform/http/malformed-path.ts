import { createMiddleware } from 'hono/factory'
import { ApiError } from '../errors.ts'

/**
 * Rejects a path that is not UTF-8 in percent-encoding (RFC 3986 §2.1). Hono leaves such a segment as it is, so `%FF` would
 * be another spelling of the id `%25FF`.
 *
 * @throws VALIDATION_FAILED
 */
export const rejectMalformedPath = createMiddleware((c, next) => {
  if (c.req.url.includes('%') && !isEncoded(new URL(c.req.url).pathname)) {
    const message = 'must be UTF-8 in percent-encoding: write % as %25.'
    throw new ApiError('VALIDATION_FAILED', {
      detail: `path: ${message}`,
      errors: [{ in: 'path', path: '', message }],
    })
  }
  return next()
})

function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

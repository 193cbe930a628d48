import type { Context } from 'hono'
import type { AppEnv } from '../context.ts'
import { type ApiError, errorCodes } from '../errors.ts'

/**
 * The problem document of an error (RFC 9457). Nothing else builds an error body. It uses Hono's context, which holds the
 * headers of every response.
 */
export function problemResponse(error: ApiError, c: Context<AppEnv>): Response {
  const [status, title] = errorCodes[error.code]
  const { detail = `${title}.`, errors, limit, headers } = error.details
  return c.body(
    JSON.stringify({
      type: `urn:problem:${error.code}`,
      title,
      status,
      detail,
      code: error.code,
      request_id: c.var.requestId,
      errors,
      limit,
    }),
    status,
    { ...headers, 'Content-Type': 'application/problem+json' },
  )
}

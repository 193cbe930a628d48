import type { Context } from 'hono'
import type { AppEnv } from '../context.ts'
import { type ApiError, errorCodes } from '../errors.ts'

/**
 * The problem document of an error (RFC 9457). The only place that builds an error body. Through the context, so
 * that the headers which every answer carries are on it.
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

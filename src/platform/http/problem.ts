import type { Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../context.ts'
import { ApiError, errorCodes } from '../errors.ts'

/** Wraps a thrown value that is not an Error in an Error, because Hono passes only Errors to `onError`. */
export const errorsOnly = createMiddleware(async (_, next) => {
  try {
    await next()
  } catch (thrown) {
    throw thrown instanceof Error ? thrown : new Error(`thrown: ${String(thrown)}`)
  }
})

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Rejects a request that no route serves.
 *
 * @throws METHOD_NOT_ALLOWED with the methods of the path; NOT_FOUND for an unknown path
 */
export function rejectUnknownRoute(app: Hono<AppEnv>, c: Context<AppEnv>): never {
  const allowed = methods.filter((method) => isServed(app, method, c.req.path))
  if (allowed.length === 0) throw unknownPath()
  const allow = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  throw new ApiError('METHOD_NOT_ALLOWED', { detail: `Allowed here: ${allow}.`, headers: { Allow: allow } })
}

/** The error of a path at which nothing is served. */
export function unknownPath(): ApiError {
  return new ApiError('NOT_FOUND', { detail: 'See /openapi.json for the paths that are served.' })
}

// Middleware is registered for all methods, so only an endpoint has the method's name.
function isServed(app: Hono<AppEnv>, method: string, path: string): boolean {
  const [handlers] = app.router.match(method, path)
  return handlers.some(([[, route]]) => route.method === method)
}

/** Answers an error with its problem document, and records the error for the request's log line. */
export function handleError(thrown: Error, c: Context<AppEnv>): Response {
  const error = asApiError(thrown)
  c.set('failure', { code: error.code, cause: causeOf(error) })
  return problemResponse(error, c)
}

/** The cause inside the service, for the log; undefined for an error of the client's. */
function causeOf({ code, cause, details }: ApiError): string | undefined {
  if (code !== 'INTERNAL' && code !== 'UNAVAILABLE') return undefined
  return cause === undefined ? details.detail : describeCause(cause)
}

function asApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError('INTERNAL', {
    detail: 'The service failed. Report the request_id if it happens again.',
    cause: error,
  })
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

/**
 * The response with the problem document of an error (RFC 9457). Only this function builds error bodies. `c.body` adds the
 * headers that the middlewares have set.
 */
function problemResponse(error: ApiError, c: Context<AppEnv>): Response {
  const [status, title] = errorCodes[error.code]
  const { detail = `${title}.`, headers, cause: _, ...members } = error.details
  return c.body(
    JSON.stringify({
      type: `urn:problem:${error.code}`,
      title,
      status,
      detail,
      code: error.code,
      request_id: c.get('requestId'),
      ...members,
    }),
    status,
    { ...headers, 'Content-Type': 'application/problem+json' },
  )
}

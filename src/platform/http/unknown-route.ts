import type { Context, Hono } from 'hono'
import type { AppEnv } from '../context.ts'
import { ApiError } from '../errors.ts'

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

import { createMiddleware } from 'hono/factory'
import { ApiError } from '../errors.ts'
import type { AppEnv } from '../http/context.ts'

/** Lets only tokens pass that carry a scope (RFC 6750 §3.1). @throws FORBIDDEN */
export function requireScope(scope: string) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!c.var.caller.scopes.has(scope))
      throw new ApiError('FORBIDDEN', {
        detail: `This takes a token with the scope ${scope}.`,
        headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      })
    await next()
  })
}

import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from './verify.ts'

/** What tokens of the studio's own services and moderators may carry; players' tokens need none. */
const scopes = ['content:moderate', 'notifications:publish', 'quota:write', 'users:erase'] as const
type Scope = (typeof scopes)[number]

/** Whether a caller acts for the studio. */
export function isService(caller: Caller): boolean {
  return scopes.some((scope) => caller.scopes.has(scope))
}

/** Lets only tokens pass that carry a scope (RFC 6750 §3.1). @throws FORBIDDEN */
export function requireScope(scope: Scope) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!c.var.caller.scopes.has(scope))
      throw new ApiError('FORBIDDEN', {
        detail: `This takes a token with the scope ${scope}.`,
        headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      })
    await next()
  })
}

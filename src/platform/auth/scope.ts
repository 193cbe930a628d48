import { ApiError } from '../errors.ts'
import type { Caller } from './caller.ts'
import { type Scope, scopes } from './scopes.ts'

/** Whether a caller has a scope of the studio's services or moderators. */
export function isService(caller: Caller): boolean {
  return Object.keys(scopes).some((scope) => caller.scopes.has(scope))
}

/** Requires a scope in the caller's token (RFC 6750 §3.1). @throws FORBIDDEN */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return
  throw new ApiError('FORBIDDEN', {
    detail: `This requires a token with the scope ${scope}.`,
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })
}

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from './caller.ts'
import { type Scope, scopes } from './scopes.ts'
import { unauthenticated } from './token-error.ts'
import { verifyToken } from './verify.ts'

/** The only path that accepts a token as a subprotocol. */
const SOCKET = '/v1/notifications/ws'

/** Requires a valid bearer token (RFC 6750 §2.1) and sets the caller. @throws UNAUTHENTICATED */
export const authenticate = createMiddleware<AppEnv>(async (c, next) => {
  const header = c.req.header('Authorization') ?? tokenInSubprotocols(c)
  if (!header) throw noToken()
  const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1]
  if (!token) throw unauthenticated('The Authorization header is not of the form "Bearer ACCESS_TOKEN".')
  c.set('caller', await verifyToken(c.get('config'), token))
  await next()
})

/** The token of a browser's WebSocket: a browser cannot send Authorization, so it offers `bearer.TOKEN`. */
function tokenInSubprotocols({ req }: Context<AppEnv>): string | undefined {
  if (req.path !== SOCKET) return undefined
  const protocols = req.header('Sec-WebSocket-Protocol') ?? ''
  const token = /(?:^|,)\s*bearer\.([\w.~+/-]+=*)\s*(?:,|$)/.exec(protocols)?.[1]
  return token && `Bearer ${token}`
}

/** A request without a token gets a challenge without an error code (RFC 6750 §3.1). */
function noToken(): ApiError {
  const detail = 'Send the header "Authorization: Bearer ACCESS_TOKEN".'
  return new ApiError('UNAUTHENTICATED', { detail, headers: { 'WWW-Authenticate': 'Bearer' } })
}

/** Whether a caller has a scope of the studio's services or moderators. */
export function isService(caller: Caller): boolean {
  return Object.keys(scopes).some((scope) => caller.scopes.has(scope))
}

/** Requires a scope in the caller's token (RFC 6750 §3.1). @throws FORBIDDEN */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.has(scope)) throw insufficientScope(scope)
}

/** The error of a request whose token lacks a scope (RFC 6750 §3.1). */
export function insufficientScope(scope: string): ApiError {
  return new ApiError('FORBIDDEN', {
    detail: `This requires a token with the scope ${scope}.`,
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })
}

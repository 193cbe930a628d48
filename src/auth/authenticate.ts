import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../context.ts'
import { ApiError } from '../errors.ts'
import { unauthenticated, verifyToken } from './verify.ts'

/** The one place where a token may come as a subprotocol. */
const SOCKET = '/v1/notifications/ws'

/** Lets a request pass only with a valid bearer token (RFC 6750 §2.1), and says who is calling. */
export const authenticate = createMiddleware<AppEnv>(async (c, next) => {
  const header = c.req.header('Authorization') ?? offeredToken(c)
  if (!header) throw noToken()
  const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1]
  if (!token) throw unauthenticated('The Authorization header is not of the form "Bearer ACCESS_TOKEN".')
  c.set('caller', await verifyToken(c.var.config, token))
  await next()
})

/** A browser can't send Authorization with a WebSocket: it offers `bearer.TOKEN` as a subprotocol instead. */
function offeredToken({ req }: Context<AppEnv>): string | undefined {
  if (req.path !== SOCKET) return undefined
  const protocols = req.header('Sec-WebSocket-Protocol') ?? ''
  const token = /(?:^|,)\s*bearer\.([\w.~+/-]+=*)\s*(?:,|$)/.exec(protocols)?.[1]
  return token && `Bearer ${token}`
}

/** Who sends no token made no mistake yet, so no error is named (RFC 6750 §3.1). */
function noToken(): ApiError {
  const detail = 'Send the header "Authorization: Bearer ACCESS_TOKEN".'
  return new ApiError('UNAUTHENTICATED', { detail, headers: { 'WWW-Authenticate': 'Bearer' } })
}

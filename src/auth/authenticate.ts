import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../http/context.ts'
import { unauthenticated, verifyToken } from './verify.ts'

/** Lets a request pass only with a valid bearer token (RFC 6750 §2.1), and says who is calling. */
export const authenticate = createMiddleware<AppEnv>(async (c, next) => {
  const header = c.req.header('Authorization')
  if (!header) throw unauthenticated('Send the header "Authorization: Bearer ACCESS_TOKEN".', undefined)
  const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1]
  if (!token) throw unauthenticated('The Authorization header is not of the form "Bearer ACCESS_TOKEN".')
  c.set('caller', await verifyToken(c.var.config, token))
  await next()
})

import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../context.ts'

/** Gives each request an id of the service's own, for its response and the log. */
export const requestId = createMiddleware<AppEnv>(async (c, next) => {
  const id = crypto.randomUUID()
  c.set('requestId', id)
  c.header('X-Request-Id', id)
  await next()
})

/** The client's own request id, for the log only: at most 64 characters, without any that could end a line or field. */
export function clientRequestId(header: string | undefined): string | undefined {
  return header?.slice(0, 64).replaceAll(/[^\w.:+/=-]/g, '_')
}

import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../context.ts'

/** Gives each request an id of the service's own, which its answer and the log carry. */
export const requestId = createMiddleware<AppEnv>(async (c, next) => {
  const id = crypto.randomUUID()
  c.set('requestId', id)
  c.header('X-Request-Id', id)
  await next()
})

/** The id that the client sent, for the log only: at most 64 characters, and none that could end a line or a field. */
export function clientRequestId(header: string | undefined): string | undefined {
  return header?.slice(0, 64).replaceAll(/[^\w.:+/=-]/g, '_')
}

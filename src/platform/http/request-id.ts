import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../context.ts'

/** Generates the id of each request, for its response and the log. */
export const requestId = createMiddleware<AppEnv>(async (c, next) => {
  const id = crypto.randomUUID()
  c.set('requestId', id)
  c.header('X-Request-Id', id)
  await next()
})

/** The client's own request id for the log: at most 64 characters, with `_` for each that could end a line or a field. */
export function clientRequestId(header: string | undefined): string | undefined {
  return header?.slice(0, 64).replaceAll(/[^\w.:+/=-]/g, '_')
}

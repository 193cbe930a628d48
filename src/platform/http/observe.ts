import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { AppEnv } from '../context.ts'
import { type Figures, noFigures } from '../lib/figures.ts'
import { logError, logInfo } from '../lib/log.ts'
import { clientRequestId } from './request-id.ts'

/**
 * Logs one line for each request with its cost (docs/observing.md), and sends the same figures to Analytics Engine when
 * METRICS is bound. A signed-in caller gets the times of the request in `Server-Timing`. The line names the route's
 * pattern, never the path, so that it holds no id, name or token.
 */
export const observe = createMiddleware<AppEnv>(async (c, next) => {
  const began_ms = Date.now()
  const figures = noFigures()
  c.set('figures', figures)
  await next()
  const ms = Date.now() - began_ms
  // c.header() would rebuild the finished response.
  if (c.get('caller')) c.res.headers.set('Server-Timing', serverTiming(ms, figures))
  const route = routePath(c, -1)
  logRequest(c, { route, ms, ...figures })
  c.env.METRICS?.writeDataPoint({
    indexes: [route],
    blobs: [c.req.method, route, String(c.res.status), c.get('failure')?.code ?? ''],
    doubles: [ms, ...Object.values(figures)],
  })
})

function serverTiming(ms: number, { d1_ms, d1_trips }: Figures): string {
  return d1_trips === 0 ? `total;dur=${ms}` : `total;dur=${ms}, db;dur=${d1_ms}`
}

function logRequest(c: Context<AppEnv>, cost: Figures & { route: string; ms: number }): void {
  const { status } = c.res
  const write = status >= 500 ? logError : logInfo
  write('request', {
    request_id: c.get('requestId'),
    client_request_id: clientRequestId(c.req.header('X-Request-Id')),
    method: c.req.method,
    status,
    ...c.get('failure'),
    ...cost,
  })
}

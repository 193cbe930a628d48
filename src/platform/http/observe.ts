import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { AppEnv } from '../context.ts'
import { logError, logInfo } from '../lib/log.ts'
import { type Metrics, noMetrics } from '../lib/metrics.ts'

/** Generates the id of each request, for its response and the log. */
export const requestId = createMiddleware<AppEnv>(async (c, next) => {
  const id = crypto.randomUUID()
  c.set('requestId', id)
  c.header('X-Request-Id', id)
  await next()
})

/**
 * Logs one line for each request with its cost (docs/observing.md), and sends the same metrics to Analytics Engine when
 * METRICS is bound. A signed-in caller gets the times of the request in `Server-Timing`, in development its trips, rows and
 * calls too. The line names the route's pattern, never the path, so that it holds no id, name or token.
 */
export const observe = createMiddleware<AppEnv>(async (c, next) => {
  const began_ms = Date.now()
  const metrics = noMetrics()
  c.set('metrics', metrics)
  await next()
  const ms = Date.now() - began_ms
  // c.header() would rebuild the finished response.
  if (c.get('caller')) {
    const timing = serverTiming(ms, metrics, { withCounts: c.get('config').DEVELOPMENT !== undefined })
    c.res.headers.set('Server-Timing', timing)
  }
  const route = routePath(c, -1)
  logRequest(c, { route, ms, ...metrics })
  const { d1_region = '', d1_primary, ...counts } = metrics
  c.env.METRICS?.writeDataPoint({
    indexes: [route],
    blobs: [
      c.req.method,
      route,
      String(c.res.status),
      c.get('failure')?.code ?? '',
      d1_region,
      placeOf(d1_primary),
    ],
    doubles: [ms, ...Object.values(counts)],
  })
})

/** Which copy of the database answered. */
function placeOf(isPrimary: boolean | undefined): string {
  if (isPrimary === undefined) return ''
  return isPrimary ? 'primary' : 'replica'
}

/**
 * A header by https://www.w3.org/TR/server-timing. Counts are for development only: they would reveal whether a resource that the
 * caller may not see exists.
 */
function serverTiming(ms: number, metrics: Metrics, { withCounts }: { withCounts: boolean }): string {
  const { d1_trips, d1_ms, rows_read, rows_written } = metrics
  const rows = `D1 trips: ${d1_trips}, rows read: ${rows_read}, rows written: ${rows_written}`
  return [
    `total;dur=${ms}`,
    ...(d1_trips === 0 ? [] : [`db;dur=${d1_ms}${withCounts ? `;desc="${rows}"` : ''}`]),
    ...(withCounts ? calls(metrics) : []),
  ].join(', ')
}

function calls({ r2_calls, inbox_calls, saves_calls }: Metrics): string[] {
  const counts = Object.entries({ R2: r2_calls, inbox: inbox_calls, saves: saves_calls })
  return counts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name.toLowerCase()};desc="${name} calls: ${count}"`)
}

function logRequest(c: Context<AppEnv>, cost: Metrics & { route: string; ms: number }): void {
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

/** The client's own request id for the log: at most 64 characters, with `_` for each that could end a line or a field. */
function clientRequestId(header: string | undefined): string | undefined {
  return header?.slice(0, 64).replaceAll(/[^\w.:+/=-]/g, '_')
}

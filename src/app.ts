import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { getPath } from 'hono/utils/url'
import { wakeChecks } from './operators/checks/wake.ts'
import { authenticate } from './platform/auth/authenticate.ts'
import type { Env } from './platform/config/env.ts'
import type { AppEnv } from './platform/context.ts'
import { wakeCatalogue, wakeDelivery } from './platform/events/wake.ts'
import { serveConsole } from './platform/http/console.ts'
import { crossOrigin } from './platform/http/cors.ts'
import { health, readiness } from './platform/http/health.ts'
import { observe, requestId } from './platform/http/observe.ts'
import { errorsOnly, handleError, rejectUnknownRoute } from './platform/http/problem.ts'
import { rateLimit, rateLimitByNetwork } from './platform/http/rate-limit.ts'
import { configured } from './platform/http/request-context.ts'
import { strictUrl } from './platform/http/validation.ts'
import { lazy } from './platform/lib/lazy.ts'
import { cacheOf, dropEnded } from './platform/pictures/edge-cache.ts'
import { publicRouters, routers } from './routers.ts'

/** Queues the delivery of events, the checks of content and the waiting marks of the catalogue, without delaying the response. */
const wakesQueues = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  const databases = c.get('databases')
  if (databases && databases.eventsIn.size > 0)
    c.executionCtx.waitUntil(wakeDelivery(c.env.EVENTS, databases.eventsIn))
  if (databases && databases.marksIn.size > 0)
    c.executionCtx.waitUntil(wakeCatalogue(c.env.EVENTS, databases.marksIn))
  const check = c.get('check')
  if (check && check.asked.size > 0) c.executionCtx.waitUntil(wakeChecks(c.env.CHECKS, check.asked))
})

/** Has the pictures that a request has ended dropped from the cache in front of the Worker, without delaying the response. */
const dropsPictures = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  const ended = c.get('ended')
  if (!ended || ended.length === 0) return
  const cache = cacheOf(c.executionCtx)
  if (!cache) return
  const isUrgent = c.get('caller').scopes.size > 0
  const timeout_ms = c.get('config').CALL_TIMEOUT_MS
  c.executionCtx.waitUntil(dropEnded({ cache, timeout_ms, queue: c.env.EVENTS, isUrgent }, ended))
})

/** Keeps every response out of caches. Even the descriptions change with a deployment. */
const notStored = createMiddleware<AppEnv>(async (c, next) => {
  c.header('Cache-Control', 'no-store')
  await next()
})

const publicPaths = new Set(publicRouters.flatMap(({ at }) => at))

/** An app with the middleware of every request, and no routes. */
function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(requestId)
  app.use(observe)
  app.use(crossOrigin)
  app.use(errorsOnly)
  app.use(notStored)
  app.use('/v1/*', configured, authenticate, rateLimit, wakesQueues, dropsPictures)
  for (const at of publicPaths) app.use(`${at}/*`, configured, rateLimitByNetwork)
  app.use(strictUrl)
  app.notFound((c) => rejectUnknownRoute(app, c))
  app.onError(handleError)
  return app
}

/** The app for all paths outside /v1 and outside the public routers. It also rejects the paths under /v1 that no router serves. */
function createRootApp(): Hono<AppEnv> {
  const app = createApp()
  app.use('/health', configured)
  app.use('/readyz', configured)
  app.use('/console/*', configured)
  app.get('/health', health)
  app.get('/healthz', (c) => c.json({ status: 'alive' }))
  app.get('/readyz', readiness)
  app.get('/console/*', serveConsole)
  app.get('/openapi.json', async (c) => c.json(await (await import('./describe.ts')).description()))
  app.get('/openapi.operators.json', async (c) =>
    c.json(await (await import('./describe.ts')).operatorsDescription()),
  )
  app.get('/asyncapi.json', async (c) => c.json((await import('./describe.ts')).socketDescription()))
  return app
}

/** The beginning of a path that decides which app serves it, such as `/v1/files` or `/pictures`. */
function placeOf(path: string): string {
  const [, first = '', second = ''] = path.split('/')
  return first === 'v1' ? `/v1/${second}` : `/${first}`
}

const allRouters = [...routers, ...publicRouters]
const places = new Set(allRouters.flatMap(({ at }) => at.map(placeOf)))
const apps = new Map([...places].map((place) => [place, lazy(() => loadApp(place))]))
const rootApp = lazy(async () => createRootApp())

/** The app that serves a path. */
export function appFor(path: string): Promise<Hono<AppEnv>> {
  return (apps.get(placeOf(path)) ?? rootApp)()
}

/** An app with the routers of a place. */
async function loadApp(place: string): Promise<Hono<AppEnv>> {
  const app = createApp()
  for (const { at, load } of allRouters)
    if (at.some((path) => placeOf(path) === place)) app.route('/', (await load()).router)
  return app
}

/** The service. The app of a feature is made, with its schemas, at the first request for it. */
export const app = {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const feature = await appFor(getPath(request))
    return feature.fetch(request, env, ctx)
  },
}

import { OpenAPIHono } from '@hono/zod-openapi'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { publicAssets } from './assets/public-routes.ts'
import { gameAssets } from './assets/routes.ts'
import { assetVersions } from './assets/version-routes.ts'
import { authenticate } from './auth/authenticate.ts'
import type { AppEnv } from './context.ts'
import { isPrivateHost } from './development.ts'
import { configuration } from './env.ts'
import { erasure } from './erasure/routes.ts'
import { ApiError } from './errors.ts'
import { files } from './files/routes.ts'
import { crossOrigin } from './http/cors.ts'
import { problemResponse } from './http/problem.ts'
import { rateLimit } from './http/rate-limit.ts'
import { clientRequestId, requestId } from './http/request-id.ts'
import { rejectUnknownRoute } from './http/unknown-route.ts'
import { moderation } from './moderation/routes.ts'
import { describeSocket } from './notifications/asyncapi.ts'
import { notifications } from './notifications/routes.ts'
import { quota } from './quota/routes.ts'
import { shares } from './shares/routes.ts'
import { trash } from './trash/routes.ts'
import { uploads } from './uploads/routes.ts'

export const app = new OpenAPIHono<AppEnv>()

app.use(requestId)
app.use(crossOrigin)

/** Only an Error comes to onError, so whatever else a library throws becomes one. */
app.use(async (_, next) => {
  try {
    await next()
  } catch (thrown) {
    throw thrown instanceof Error ? thrown : new Error(`thrown: ${String(thrown)}`)
  }
})

/** Nothing of /v1 runs without its configuration, and nothing of it is kept by a cache. */
const configured = createMiddleware<AppEnv>(async (c, next) => {
  const { config, problems } = configuration(c.env)
  c.header('Cache-Control', 'no-store')
  if (!config) throw notServed(`This service is not configured: ${problems.join('; ')}.`)
  if (config.DEVELOPMENT && !isPrivateHost(new URL(c.req.url).hostname))
    throw notServed('DEVELOPMENT is set: this service answers on this machine and in private networks only.')
  c.set('config', config)
  await next()
  const bookmark = c.var.db?.bookmark
  // Not c.header(): on a finished answer that builds the answer anew.
  if (bookmark) c.res.headers.set('X-D1-Bookmark', bookmark)
})
app.use('/v1/*', configured, authenticate, rateLimit)

function notServed(detail: string): ApiError {
  return new ApiError('UNAVAILABLE', { detail, headers: { 'Retry-After': '60' } })
}

app.route('/v1/files', files)
app.route('/v1/trash', trash)
app.route('/v1', shares)
app.route('/v1', quota)
app.route('/v1/uploads', uploads)
app.route('/v1/game/assets', gameAssets)
app.route('/v1/game/assets', assetVersions)
app.route('/v1/game/public', publicAssets)
app.route('/v1/notifications', notifications)
app.route('/v1', moderation)
app.route('/v1', erasure)

app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'A signed JWT with `sub` (the user) and `exp`',
})

/** The description of everything under /v1 (OpenAPI 3.1), from the schemas that validate. */
export function describe() {
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Edge game storage',
      version: '1',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      description:
        'Files, game assets and notifications for game studios. Timestamps are Unix seconds, ids are opaque strings; errors are RFC 9457 problem documents whose `code` is the thing to switch on.',
    },
    security: [{ bearer: [] }],
  })
}

let description: ReturnType<typeof describe> | undefined
app.get('/openapi.json', (c) => {
  description ??= describe()
  return c.json(description)
})

let socketDescription: ReturnType<typeof describeSocket> | undefined
app.get('/asyncapi.json', (c) => {
  socketDescription ??= describeSocket()
  return c.json(socketDescription)
})

app.notFound((c) => rejectUnknownRoute(app, c))

app.onError((error, c) => {
  const refusal = asApiError(error)
  if (refusal.code === 'INTERNAL' || refusal.code === 'UNAVAILABLE')
    console.error(
      JSON.stringify({
        request_id: c.var.requestId,
        client_request_id: clientRequestId(c.req.header('X-Request-Id')),
        method: c.req.method,
        path: c.req.path,
        code: refusal.code,
        cause: refusal.cause === undefined ? refusal.details.detail : describeCause(refusal.cause),
      }),
    )
  return problemResponse(refusal, c)
})

function asApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof HTTPException && error.status === 415) return new ApiError('UNSUPPORTED_MEDIA_TYPE')
  if (error instanceof HTTPException && error.status === 400) return new ApiError('MALFORMED_JSON')
  return new ApiError('INTERNAL', {
    detail: 'It is not your fault. Tell us the request_id if it goes on.',
    cause: error,
  })
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

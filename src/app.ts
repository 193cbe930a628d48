import { OpenAPIHono } from '@hono/zod-openapi'
import { publicAssets } from './assets/public-routes.ts'
import { gameAssets } from './assets/routes.ts'
import { assetVersions } from './assets/version-routes.ts'
import { authenticate } from './auth/authenticate.ts'
import type { AppEnv } from './context.ts'
import { erasure } from './erasure/routes.ts'
import { wakesDelivery } from './events/wake.ts'
import { files } from './files/routes.ts'
import { about } from './http/about.ts'
import type { Members } from './http/components.ts'
import { configured } from './http/configured.ts'
import { serveConsole } from './http/console.ts'
import { crossOrigin } from './http/cors.ts'
import { shareComponents, withoutInternal } from './http/description.ts'
import { health } from './http/health.ts'
import { observe } from './http/observe.ts'
import { errorsOnly, handleError } from './http/problem.ts'
import { Problem } from './http/problem-schema.ts'
import { rateLimit } from './http/rate-limit.ts'
import { readiness } from './http/readiness.ts'
import { requestId } from './http/request-id.ts'
import { rejectUnknownRoute } from './http/unknown-route.ts'
import { moderation } from './moderation/routes.ts'
import { moves } from './moves/routes.ts'
import { describeSocket } from './notifications/asyncapi.ts'
import { notifications } from './notifications/routes.ts'
import { quota } from './quota/routes.ts'
import { shares } from './shares/routes.ts'
import { trash } from './trash/routes.ts'
import { uploads } from './uploads/routes.ts'

export const app = new OpenAPIHono<AppEnv>()

app.use(requestId)
app.use(observe)
app.use(crossOrigin)
app.use(errorsOnly)
app.use('/v1/*', configured, authenticate, rateLimit, wakesDelivery)
app.use('/health', configured)
app.use('/readyz', configured)
app.use('/console/*', configured)

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
app.route('/v1/shards', moves)

app.openAPIRegistry.register('Problem', Problem)

/**
 * The OpenAPI 3.1 description of everything under /v1, from the schemas that validate requests. With `internal` it has
 * the routes that only this project's own commands use, too.
 */
export function describe({ internal = false } = {}): Members {
  const generated = app.getOpenAPI31Document(about, { unionPreferredType: 'oneOf' })
  const members = JSON.parse(JSON.stringify(generated))
  return shareComponents(internal ? members : withoutInternal(members))
}

app.get('/health', health)
app.get('/healthz', (c) => c.json({ status: 'alive' }))
app.get('/readyz', readiness)
app.get('/console/*', serveConsole)

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

app.onError(handleError)

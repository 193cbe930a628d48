import { OpenAPIHono } from '@hono/zod-openapi'
import { describeSocket } from './features/notifications/asyncapi.ts'
import type { AppEnv } from './platform/context.ts'
import { about } from './platform/http/about.ts'
import type { Members } from './platform/http/components.ts'
import { shareComponents } from './platform/http/description.ts'
import { Problem } from './platform/http/problem-schema.ts'
import { lazy } from './platform/lib/lazy.ts'
import { type Audience, routers } from './routers.ts'

/**
 * The OpenAPI 3.1 description of what an audience uses under /v1, from the schemas that validate requests. Each is a
 * document of its own: what both use stands in both.
 */
export async function describe(audience: Audience = 'clients'): Promise<Members> {
  const app = new OpenAPIHono<AppEnv>()
  for (const { at, load, audience: whose = 'clients' } of routers)
    if (whose === audience) app.route(at, await load())
  app.openAPIRegistry.register('Problem', Problem)
  const generated = app.getOpenAPI31Document(about[audience], { unionPreferredType: 'oneOf' })
  return shareComponents(JSON.parse(JSON.stringify(generated)))
}

/** What GET /openapi.json answers. */
export const description = lazy(() => describe())

/** What GET /openapi.operators.json answers. */
export const operatorsDescription = lazy(() => describe('operators'))

let socketDescribed: ReturnType<typeof describeSocket> | undefined

/** What GET /asyncapi.json answers. */
export function socketDescription(): ReturnType<typeof describeSocket> {
  socketDescribed ??= describeSocket()
  return socketDescribed
}

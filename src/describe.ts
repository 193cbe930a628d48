import { OpenAPIHono } from '@hono/zod-openapi'
import { describeSocket } from './features/notifications/asyncapi.ts'
import type { AppEnv } from './platform/context.ts'
import { about } from './platform/http/about.ts'
import type { JsonObject } from './platform/http/components.ts'
import { shareComponents } from './platform/http/description.ts'
import { Problem } from './platform/http/error-responses.ts'
import { lazy } from './platform/lib/lazy.ts'
import { type Audience, publicRouters, routers } from './routers.ts'

/**
 * The OpenAPI 3.1 description of an audience's routes, from the schemas that validate requests. Each description
 * is complete: components that both audiences use are in both.
 */
export async function describe(audience: Audience = 'clients'): Promise<JsonObject> {
  const app = new OpenAPIHono<AppEnv>()
  for (const { load, audience: whose = 'clients' } of [...routers, ...publicRouters])
    if (whose === audience) app.route('/', (await load()).router)
  app.openAPIRegistry.register('Problem', Problem)
  const generated = app.getOpenAPI31Document(about[audience], { unionPreferredType: 'oneOf' })
  return shareComponents(JSON.parse(JSON.stringify(generated)))
}

/** The body of GET /openapi.json. */
export const description = lazy(() => describe())

/** The body of GET /openapi.operators.json. */
export const operatorsDescription = lazy(() => describe('operators'))

let builtSocketDescription: ReturnType<typeof describeSocket> | undefined

/** The body of GET /asyncapi.json. */
export function socketDescription(): ReturnType<typeof describeSocket> {
  builtSocketDescription ??= describeSocket()
  return builtSocketDescription
}

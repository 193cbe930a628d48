import { OpenAPIHono } from '@hono/zod-openapi'
import type { AppEnv } from './context.ts'
import { about } from './http/about.ts'
import type { Members } from './http/components.ts'
import { shareComponents, withoutInternal } from './http/description.ts'
import { Problem } from './http/problem-schema.ts'
import { lazy } from './lib/lazy.ts'
import { describeSocket } from './notifications/asyncapi.ts'
import { routers } from './routers.ts'

/**
 * The OpenAPI 3.1 description of everything under /v1, from the schemas that validate requests. With `internal` it has
 * the routes that only this project's own commands use, too.
 */
export async function describe({ internal = false } = {}): Promise<Members> {
  const app = new OpenAPIHono<AppEnv>()
  for (const { at, load } of routers) app.route(at, await load())
  app.openAPIRegistry.register('Problem', Problem)
  const generated = app.getOpenAPI31Document(about, { unionPreferredType: 'oneOf' })
  const members = JSON.parse(JSON.stringify(generated))
  return shareComponents(internal ? members : withoutInternal(members))
}

/** What GET /openapi.json answers. */
export const description = lazy(() => describe())

let socketDescribed: ReturnType<typeof describeSocket> | undefined

/** What GET /asyncapi.json answers. */
export function socketDescription(): ReturnType<typeof describeSocket> {
  socketDescribed ??= describeSocket()
  return socketDescribed
}

import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import { app } from '../../src/app.ts'
import type { Env } from '../../src/platform/config/env.ts'
import type { Config } from '../../src/platform/config/variables.ts'
import { type Bindings, databasesOf } from '../../src/platform/shards/map.ts'
import { overEvery } from './databases.ts'

/** The origin of the tests' requests. */
export const origin = 'http://localhost:8787'

/** Sends a request and returns its response. */
export type Fetch = (request: Request) => Promise<Response>

/** Bindings and variables in place of the tests' own; `undefined` takes one away. */
export type Different = { [Name in keyof Env]?: Env[Name] | undefined } & {
  [Variable in keyof Config]?: string | undefined
}

/** The Worker as it is deployed, over the tests' bindings. */
export const service: Fetch = (request) => exports.default.fetch(request)

/** The routes that a request of a test file has come to as an event. */
const reached = new Set<string>()

/** Whether the tests run in the Worker's runtime, and not against a URL (scripts/acceptance). */
const isInside = navigator.userAgent === 'Cloudflare-Workers'

/**
 * The same, as users of tests send requests: the first one of a test file to each route comes to the Worker as an event, with a context of
 * its own. The others call its handler in the test's context, which takes half the CPU: the plugin asks its runner for the Worker's module
 * at each event.
 */
export const usualService: Fetch = (request) => {
  const { pathname } = new URL(request.url)
  const route = `${request.method} ${pathname.replaceAll(/[^/]*[^a-z/-][^/]*/g, '{}')}`
  const key = `${expect.getState().testPath} ${route}`
  if (isInside && reached.has(key)) return app.fetch(request, env, createExecutionContext())
  reached.add(key)
  return service(request)
}

/**
 * The service over other bindings or variables. `worker` is `app` as another isolate has loaded it; `context` makes the
 * context of each request.
 */
export function serviceWith(different: Different, worker = app, context = createExecutionContext): Fetch {
  const bindings = { ...env, ...different }
  return async (request) => worker.fetch(request, bindings, context())
}

/** Paths whose requests do something after their answers that tests look at: at inboxes, and in moderation, which notifies. */
const SETTLING = /^\/v1\/(notifications|moderation|reports)\b|\/block$/

/** The same. What a look at an inbox, or a decision, does after its answer is done when the answer comes. */
export function settledService(different: Different): Fetch {
  const bindings = { ...env, ...different }
  return async (request) => {
    const ctx = createExecutionContext()
    const response = await app.fetch(request, bindings, ctx)
    if (SETTLING.test(new URL(request.url).pathname)) await waitOnExecutionContext(ctx)
    return response
  }
}

/** Loads the app again, as another isolate does, without the caches of this one: for `serviceWith`. */
export async function anotherIsolate(): Promise<typeof app> {
  vi.resetModules()
  return (await import('../../src/app.ts')).app
}

/** The service with these databases only, in a Worker without bindings for the others. */
export function serviceOver(databases: Bindings & { DB: D1Database }): Fetch {
  const bindings: Env = { ...env, ...databases }
  for (const name of Object.keys(databasesOf(env)))
    if (!(name in databases)) Reflect.deleteProperty(bindings, name)
  return async (request) => app.fetch(request, bindings, createExecutionContext())
}

/**
 * The service in an isolate of its own. It has learned no locations of partitions yet, because these are cached for each
 * binding.
 */
export function isolate(different: Different = {}, context = createExecutionContext): Fetch {
  const fresh = (database: D1Database) =>
    new Proxy(database, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  return serviceWith({ ...overEvery(fresh), ...different }, app, context)
}

/** Requests a socket, with these headers and this query. */
export function upgrade(headers: Record<string, string>, query = '', reach = service): Promise<Response> {
  const url = `${origin}/v1/notifications/ws${query}`
  return reach(new Request(url, { headers: { Upgrade: 'websocket', ...headers } }))
}

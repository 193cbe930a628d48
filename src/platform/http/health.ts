import { sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { loginKeysAreUsable } from '../auth/login-keys.ts'
import type { Env } from '../config/env.ts'
import { inboxesOf } from '../config/namespaces.ts'
import type { Config } from '../config/variables.ts'
import type { AppEnv } from '../context.ts'
import type { Database } from '../db/database.ts'
import { ApiError, unavailable } from '../errors.ts'
import { callObject } from '../lib/durable-object.ts'
import { logError } from '../lib/log.ts'
import { pooled } from '../lib/pool.ts'
import { withTimeout } from '../lib/timeout.ts'
import { Databases } from '../shards/databases.ts'
import { databasesOf } from '../shards/map.ts'

/**
 * Answers GET /health: 200 when the service is configured and its databases answer with the tables of the migrations.
 *
 * @throws UNAVAILABLE, whose detail names the problem
 */
export async function health(c: Context<AppEnv>): Promise<Response> {
  const { CONSOLE, DEVELOPMENT } = c.get('config')
  const problem = await problemOfDatabases(c.env, c.get('config'))
  if (problem) throw problem
  const hasConsole = CONSOLE ?? DEVELOPMENT
  return c.json({
    status: 'ok',
    ...(DEVELOPMENT && { development: true }),
    ...(hasConsole && { console: true }),
  })
}

/** The error of a database that does not answer or has no tables; undefined when there is none. */
const problemOfDatabases = reused(async (env, { CALL_TIMEOUT_MS: timeout_ms, DEVELOPMENT }) => {
  const databases = new Databases(databasesOf(env), { timeout_ms })
  const problems = await pooled(databases.names, (name) =>
    problemOf(databases.whole(name), DEVELOPMENT ? 'npm run dev makes them' : 'apply the migrations'),
  )
  return problems.find((one) => one !== undefined)
})

async function problemOf(db: Database, remedy: string): Promise<ApiError | undefined> {
  try {
    await db.read(sql`SELECT partition FROM usage WHERE user_id = ''`)
    return undefined
  } catch (error) {
    return error instanceof ApiError
      ? error
      : unavailable(`The database ${db.name} has no tables of this service: ${remedy}.`, error)
  }
}

/** The name of an inbox that belongs to no user: a user id has no control characters. */
const NOBODY = '\u0000readyz'

/** Whether each part that the service needs can be reached. */
interface Readiness {
  database: boolean
  bucket: boolean
  inbox: boolean
  keys: boolean
}

/**
 * Answers GET /readyz: 200 when every part can be reached, 503 otherwise. The body has the state of each part, and no
 * cause. An isolate reuses an outcome for five seconds.
 */
export async function readiness(c: Context<AppEnv>): Promise<Response> {
  const parts = await partsOf(c.env, c.get('config'))
  const isReady = Object.values(parts).every(Boolean)
  const states = Object.entries(parts).map(([part, isReachable]) => [
    part,
    isReachable ? 'reachable' : 'unreachable',
  ])
  return c.json(
    { status: isReady ? 'ready' : 'not ready', ...Object.fromEntries(states) },
    isReady ? 200 : 503,
  )
}

const partsOf = reused(async (env, config): Promise<Readiness> => {
  const timeout_ms = config.CALL_TIMEOUT_MS
  const isReachable = (part: string, call: Promise<unknown>) =>
    withTimeout(timeout_ms, call).then(
      () => true,
      (error: unknown) => {
        logError('a part is out of reach', { part, cause: String(error) })
        return false
      },
    )
  const databases = new Databases(databasesOf(env), { timeout_ms })
  const readInbox = () =>
    callObject({
      stub: () => inboxesOf(env, config).getByName(NOBODY),
      call: async (inbox) => inbox.counts(),
      isIdempotent: true,
      timeout_ms,
      unanswered: (cause) => (cause instanceof Error ? cause : new Error(String(cause))),
    })
  const [database, bucket, inbox, keys] = await Promise.all([
    isReachable(
      'database',
      pooled(databases.names, (name) =>
        databases.whole(name).read(sql`SELECT 1 FROM usage WHERE user_id = ''`),
      ),
    ),
    isReachable('bucket', env.BUCKET.head('.pairing')),
    isReachable('inbox', readInbox()),
    isReachable(
      'keys',
      config.JWKS_URL === undefined ? Promise.resolve() : loginKeysAreUsable(config.JWKS_URL),
    ),
  ])
  return { database, bucket, inbox, keys }
})

/** How long an outcome is reused, in milliseconds. It bounds the calls that requests without a token can cause. */
const REUSE_MS = 5_000

/**
 * Wraps a check so that an isolate reuses its outcome for five seconds. The outcome is kept and not its promise, because a
 * request can't wait for another request's calls.
 */
function reused<Outcome>(
  check: (env: Env, config: Config) => Promise<Outcome>,
): (env: Env, config: Config) => Promise<Outcome> {
  const kept = new WeakMap<Env, { at_ms: number; outcome: Outcome }>()
  return async (env, config) => {
    const last = kept.get(env)
    if (last && Date.now() - last.at_ms < REUSE_MS) return last.outcome
    const outcome = await check(env, config)
    kept.set(env, { at_ms: Date.now(), outcome })
    return outcome
  }
}

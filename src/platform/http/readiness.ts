import { sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { loginKeysAreUsable } from '../auth/login-keys.ts'
import { inboxesOf } from '../config/namespaces.ts'
import type { AppEnv } from '../context.ts'
import { logError } from '../lib/log.ts'
import { pooled } from '../lib/pool.ts'
import { withTimeout } from '../lib/timeout.ts'
import { Databases } from '../shards/databases.ts'
import { databasesOf } from '../shards/map.ts'
import { reused } from './reused.ts'

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
  const readInbox = async () => inboxesOf(env, config).getByName(NOBODY).counts()
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

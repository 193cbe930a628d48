import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Caller } from '../auth/caller.ts'
import type { Scope } from '../auth/scopes.ts'
import { configuration } from '../config/configuration.ts'
import { isPrivateHost } from '../config/development.ts'
import { inboxesOf, savesOf, wakeJanitorAt } from '../config/namespaces.ts'
import type {
  AppEnv,
  ContentCheck,
  InboxContext,
  LaterContext,
  PublicContext,
  RequestContext,
  SavesActor,
  SavesContext,
} from '../context.ts'
import { ratingsAbove } from '../db/ratings.ts'
import { ApiError } from '../errors.ts'
import { counted } from '../lib/metrics.ts'
import { type Bookmark, parseBookmark } from '../shards/bookmark.ts'
import { Databases } from '../shards/databases.ts'
import { databasesOf } from '../shards/map.ts'
import { createSigner } from '../storage/presign.ts'

/**
 * Sets the request's configuration, and `X-D1-Bookmark` on the response when a database was used.
 *
 * @throws UNAVAILABLE when the configuration has problems, or when DEVELOPMENT is set on a public host
 */
export const configured = createMiddleware<AppEnv>(async (c, next) => {
  const { config, problems } = configuration(c.env)
  const isPrivate = () => isPrivateHost(new URL(c.req.url).hostname)
  if (!config) {
    const remedy = isPrivate() ? ' npm run dev makes what is missing for development.' : ''
    throw misconfigured(`This service is not configured: ${problems.join('; ')}.${remedy}`)
  }
  if (config.DEVELOPMENT && !isPrivate())
    throw misconfigured(
      'DEVELOPMENT is set: this service answers on this machine and in private networks only.',
    )
  c.set('config', config)
  await next()
  const db = c.get('db')
  const bookmark = db && c.get('databases')?.bookmarkAfter(db)
  // c.header() would rebuild the finished response.
  if (bookmark) c.res.headers.set('X-D1-Bookmark', bookmark)
})

function misconfigured(detail: string): ApiError {
  return new ApiError('UNAVAILABLE', { detail, headers: { 'Retry-After': '60' } })
}

/**
 * The context for the rules of a request. A request has one set of databases, so that its response has one bookmark.
 *
 * @throws VALIDATION_FAILED for a malformed X-D1-Bookmark
 */
export function requestContext(c: Context<AppEnv>): RequestContext {
  const { config, caller, metrics } = variablesOf(c)
  const databases = databasesIn(c)
  const db = databases.home(caller.user_id)
  c.set('db', db)
  const ended = c.get('ended') ?? []
  c.set('ended', ended)
  return {
    db,
    databases,
    bucket: bucketFor(c),
    inboxes: counted(inboxesOf(c.env, config), () => metrics.inbox_calls++),
    saves: counted(savesOf(c.env, config), () => metrics.saves_calls++),
    sign: createSigner(config, c.req.url),
    check: checkOf(c),
    ended,
    config,
    user_id: caller.user_id,
    actor_id: c.get('actor')?.user_id,
    hidden_ratings: ratingsAbove(caller.max_rating, config.UNRATED_AS),
    request_url: c.req.url,
    now_ms: Date.now(),
    afterwards: afterwardsOf(c),
    runJobAt: (database, time) => wakeJanitorAt(c.env, config, database, time),
  }
}

/** The databases of a request. @throws as `requestContext` */
export function databasesIn(c: Context<AppEnv>): Databases {
  const databases = c.get('databases') ?? databasesFor(c, sentBookmark(c))
  c.set('databases', databases)
  return databases
}

/** The databases of a request, which may have been refused before it had any, such as for a malformed X-D1-Bookmark. */
export function databasesAnyway(c: Context<AppEnv>): Databases {
  return c.get('databases') ?? databasesFor(c)
}

/** Lets work go on after the answer. Its trips and calls do not count as those of the request, and do not change its bookmark. */
function afterwardsOf(c: Context<AppEnv>): RequestContext['afterwards'] {
  return (work) => {
    const config = c.get('config')
    const { SHARDS: ranges, CALL_TIMEOUT_MS: timeout_ms } = config
    const databases = new Databases(databasesOf(c.env), { ranges, timeout_ms })
    const later: LaterContext = {
      databases,
      config,
      now_ms: Date.now(),
      get inboxes() {
        return inboxesOf(c.env, config)
      },
      get saves() {
        return savesOf(c.env, config)
      },
    }
    c.executionCtx.waitUntil(work(later))
  }
}

/** The context for the rules of a request without a token. It reads from primaries, and its response has no bookmark. */
export function publicContext(c: Context<AppEnv>): PublicContext {
  return { databases: databasesFor(c), bucket: bucketFor(c), config: c.get('config'), now_ms: Date.now() }
}

function databasesFor(c: Context<AppEnv>, bookmark?: Bookmark): Databases {
  const { config, metrics } = variablesOf(c)
  const { SHARDS: ranges, CALL_TIMEOUT_MS: timeout_ms, REPLICA_LAG: replica_lag } = config
  return new Databases(databasesOf(c.env), { ranges, timeout_ms, metrics, bookmark, replica_lag })
}

function bucketFor(c: Context<AppEnv>): R2Bucket {
  const metrics = c.get('metrics')
  return counted(c.env.BUCKET, () => metrics.r2_calls++)
}

/** The variables that the middlewares have set. `c.var` would build an object of all variables at each access. */
function variablesOf(c: Context<AppEnv>) {
  return { config: c.get('config'), caller: c.get('caller'), metrics: c.get('metrics') }
}

/**
 * The request's check of content, undefined without a checker. It collects the uploads that the checker is asked about
 * later.
 */
function checkOf(c: Context<AppEnv>): ContentCheck | undefined {
  const { CONTENT_CHECK_URL, CONTENT_CHECK_KINDS: kinds = ['*'] } = c.get('config')
  if (!c.env.CONTENT_CHECK && !CONTENT_CHECK_URL) return undefined
  const check = c.get('check') ?? { kinds, asked: new Set() }
  c.set('check', check)
  return check
}

/** The context for the rules of a request that uses an inbox. @throws as `requestContext` */
export function inboxContext(c: Context<AppEnv>): InboxContext {
  const { config, caller, metrics } = variablesOf(c)
  sentBookmark(c) // Rejects a malformed bookmark.
  return {
    inboxes: counted(inboxesOf(c.env, config), () => metrics.inbox_calls++),
    afterwards: afterwardsOf(c),
    config,
    user_id: caller.user_id,
    actor_id: c.get('actor')?.user_id,
    now_ms: Date.now(),
  }
}

/** The context for the rules of a request that uses saves and no database. @throws as `requestContext` */
export function savesContext(c: Context<AppEnv>): SavesContext {
  const { config, caller, metrics } = variablesOf(c)
  sentBookmark(c) // Rejects a malformed bookmark.
  const saves = counted(savesOf(c.env, config), () => metrics.saves_calls++)
  const acting = savesActorOf(c.get('actor'))
  const afterwards = afterwardsOf(c)
  return { saves, config, user_id: caller.user_id, acting, now_ms: Date.now(), afterwards }
}

function savesActorOf(actor: Caller | undefined): SavesActor | undefined {
  if (!actor) return undefined
  const { user_id, scopes } = actor
  const has = (...names: Scope[]) => names.some((name) => scopes.has(name))
  return {
    user_id,
    reads_as_studio: has('saves:read', 'saves:write'),
    writes_as_studio: has('saves:write'),
    reads_as_support: has('players:read', 'players:write'),
  }
}

function sentBookmark(c: Context<AppEnv>): Bookmark | undefined {
  const header = c.req.header('X-D1-Bookmark')
  if (header === undefined) return undefined
  const bookmark = parseBookmark(header)
  if (bookmark) return bookmark
  throw new ApiError('VALIDATION_FAILED', {
    detail: 'This service did not issue this X-D1-Bookmark.',
    errors: [{ in: 'header', path: '/x-d1-bookmark', message: 'Send the last bookmark unchanged, or none.' }],
  })
}

import type { ExportedJWKSCache, JWTVerifyGetKey, RemoteJWKSet } from 'jose'
import * as errors from 'jose/errors'
import { createRemoteJWKSet, jwksCache } from 'jose/jwks/remote'
import { logError, logWarning } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'

/** The age at which a key set is fetched again, in milliseconds. */
const REFRESH_AFTER_MS = 10 * 60_000
/** The age up to which keys are used while the login is unreachable (decisions, "For those who run it"). */
const USABLE_FOR_MS = 6 * 60 * 60_000
/** The time between two attempts of an isolate, in milliseconds. */
const RETRY_AFTER_MS = 30_000
/** The same after a failed attempt when there are no usable keys. */
const RETRY_WITHOUT_KEYS_MS = 5_000
/** How long a call of the Worker's cache may take. */
const CACHE_TIMEOUT_MS = 500

/** A login's keys in this isolate. */
interface KeySet {
  url: string
  keys: RemoteJWKSet
  /** What jose fetched last, and when, in milliseconds. */
  fetched: Partial<ExportedJWKSCache>
  /** The earliest time of the next attempt, in milliseconds. */
  next_attempt: number
  /** The error of the last attempt; undefined when it succeeded. */
  failure?: unknown
}

const keySets = new Map<string, KeySet>()

/**
 * Finds the key of a token in the key set at a URL. The isolate keeps the set, and the Worker's cache keeps it for new
 * isolates.
 *
 * @throws JWKSNoMatchingKey when the set has no key for the token; any other error when there is no usable set
 */
export function loginKeys(url: string): JWTVerifyGetKey {
  return async (header, token) => {
    const set = await usable(url)
    try {
      return await set.keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      if (await refresh(set)) return set.keys(header, token)
      // While the login is unreachable, it may have a new key that this isolate lacks.
      throw set.failure ?? error
    }
  }
}

/** Succeeds when there are keys that tokens can be checked with, fetched if need be. @throws the error of the last attempt */
export async function loginKeysAreUsable(url: string): Promise<void> {
  await usable(url)
}

async function usable(url: string): Promise<KeySet> {
  const set = keySets.get(url) ?? (await open(url))
  if (ageOf(set) >= REFRESH_AFTER_MS) await refresh(set)
  if (ageOf(set) >= USABLE_FOR_MS) throw set.failure ?? new Error('the keys are being fetched')
  return set
}

async function open(url: string): Promise<KeySet> {
  // jose stores here what it fetches. Only `refresh` decides when it fetches.
  const cache = Object.assign<Record<string, never>, Partial<ExportedJWKSCache>>(
    {},
    (await readCache(url)) ?? {},
  )
  const keys = createRemoteJWKSet(new URL(url), {
    [jwksCache]: cache,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
  })
  const set = keySets.get(url) ?? {
    url,
    keys,
    fetched: cache,
    next_attempt: (cache.uat ?? 0) + RETRY_AFTER_MS,
  }
  keySets.set(url, set)
  return set
}

function ageOf({ fetched: { uat } }: KeySet): number {
  return uat === undefined ? Number.POSITIVE_INFINITY : Date.now() - uat
}

/** Fetches the keys, unless there was an attempt a short time ago. Returns whether there are new ones. */
async function refresh(set: KeySet): Promise<boolean> {
  // A request cannot wait for another request's fetch, so each of an isolate's first requests fetches.
  const isFirst = ageOf(set) >= USABLE_FOR_MS && set.failure === undefined
  if (Date.now() < set.next_attempt && !isFirst) return false
  set.next_attempt = Date.now() + RETRY_AFTER_MS // Set before the fetch, so that other requests use the keys that there are.
  try {
    await set.keys.reload()
    set.failure = undefined
    await writeCache(set)
    return true
  } catch (error) {
    set.failure = error
    if (ageOf(set) >= USABLE_FOR_MS) set.next_attempt = Date.now() + RETRY_WITHOUT_KEYS_MS
    const { uat } = set.fetched
    logError('the login’s keys could not be fetched', { fetched_at: uat, cause: String(error) })
    return false
  }
}

/** The key set in the Worker's cache. A failing cache counts as empty. */
async function readCache(url: string): Promise<ExportedJWKSCache | undefined> {
  try {
    const kept = await withTimeout(
      CACHE_TIMEOUT_MS,
      inCache((cache) => cache.match(url)),
    )
    return await kept?.json<ExportedJWKSCache>()
  } catch (error) {
    reportCacheError(error)
    return undefined
  }
}

async function writeCache({ url, fetched }: KeySet): Promise<void> {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': `max-age=${USABLE_FOR_MS / 1_000}` }
  try {
    await withTimeout(
      CACHE_TIMEOUT_MS,
      inCache((cache) => cache.put(url, Response.json(fetched, { headers }))),
    )
  } catch (error) {
    reportCacheError(error)
  }
}

/** Uses a cache of its own: an entry in the default cache would answer a fetch of the URL. */
async function inCache<Answer>(use: (cache: Cache) => Promise<Answer>): Promise<Answer> {
  return use(await caches.open('login-keys'))
}

function reportCacheError(error: unknown): void {
  logWarning('the cache of the login’s keys is out', { cause: String(error) })
}

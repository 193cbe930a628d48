import type { ExportedJWKSCache, JWTVerifyGetKey, RemoteJWKSet } from 'jose'
import * as errors from 'jose/errors'
import { createRemoteJWKSet, jwksCache } from 'jose/jwks/remote'
import { logError, logWarning } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'

/** The age at which a key set is fetched again, in milliseconds. */
const REFRESH_AFTER_MS = 10 * 60_000
/** The age up to which keys are used while the login is unreachable (docs/conformance.md#for-those-who-run-it). */
const USABLE_FOR_MS = 6 * 60 * 60_000
/** The time between two attempts of an isolate, in milliseconds. */
const RETRY_AFTER_MS = 30_000
/** The time between two attempts after a failure without usable keys, in milliseconds. */
const RETRY_WITHOUT_KEYS_MS = 5_000
/** How long a call of the Worker's cache may take, in milliseconds. */
const CACHE_TIMEOUT_MS = 500

/** A login's keys in this isolate. */
interface KeySet {
  url: string
  keys: RemoteJWKSet
  /** The key set that jose fetched last (`jwks`), and when (`uat`, in milliseconds). Empty before the first fetch. */
  fetched: Partial<ExportedJWKSCache>
  /** The earliest time of the next attempt, in milliseconds. */
  next_attempt_ms: number
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
    const set = await usableKeySet(url)
    try {
      return await set.keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      if (await refresh(set)) return set.keys(header, token)
      // The login is unreachable and may have a new key, so the token may be valid.
      throw set.failure ?? error
    }
  }
}

/** Checks that there are keys to verify tokens with, and fetches them if necessary. @throws the error of the last attempt */
export async function loginKeysAreUsable(url: string): Promise<void> {
  await usableKeySet(url)
}

async function usableKeySet(url: string): Promise<KeySet> {
  const set = keySets.get(url) ?? (await openKeySet(url))
  if (ageOf(set) >= REFRESH_AFTER_MS) await refresh(set)
  if (ageOf(set) >= USABLE_FOR_MS) throw set.failure ?? new Error('the keys are being fetched')
  return set
}

async function openKeySet(url: string): Promise<KeySet> {
  // jose stores a fetched key set in this object. Only `refresh` makes it fetch.
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
    next_attempt_ms: (cache.uat ?? 0) + RETRY_AFTER_MS,
  }
  keySets.set(url, set)
  return set
}

/** The age of the fetched keys, in milliseconds. */
function ageOf({ fetched: { uat } }: KeySet): number {
  return uat === undefined ? Number.POSITIVE_INFINITY : Date.now() - uat
}

/** Fetches the keys, unless the next attempt is not due. Returns whether it has fetched them. */
async function refresh(set: KeySet): Promise<boolean> {
  // A request cannot wait for another request's fetch, so each of an isolate's first requests fetches.
  const isFirst = ageOf(set) >= USABLE_FOR_MS && set.failure === undefined
  if (Date.now() < set.next_attempt_ms && !isFirst) return false
  // Set before the fetch, so that concurrent requests use the present keys.
  set.next_attempt_ms = Date.now() + RETRY_AFTER_MS
  try {
    await set.keys.reload()
    set.failure = undefined
    await writeCache(set)
    return true
  } catch (error) {
    set.failure = error
    if (ageOf(set) >= USABLE_FOR_MS) set.next_attempt_ms = Date.now() + RETRY_WITHOUT_KEYS_MS
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

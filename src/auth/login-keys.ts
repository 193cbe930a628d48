import {
  createRemoteJWKSet,
  type ExportedJWKSCache,
  errors,
  type JWTVerifyGetKey,
  jwksCache,
  type RemoteJWKSet,
} from 'jose'
import { withTimeout } from '../lib/timeout.ts'

/** A key set is fetched again after this long, in milliseconds. */
const REFRESH_AFTER = 10 * 60_000
/** It goes on for this long when the login can't be reached (decisions, "For those who run it"). */
const USABLE_FOR = 6 * 60 * 60_000
/** For how long an isolate doesn't try again after a try, in milliseconds, whatever tokens arrive. */
const PAUSE = 30_000
/** The same after a try that failed when there are no keys to go on with. */
const PAUSE_WITHOUT_KEYS = 5_000
/** How long the Worker's cache may take, in milliseconds. */
const CACHE_TIMEOUT_MS = 500

/** A login's keys, as this isolate knows them. */
interface KeySet {
  url: string
  keys: RemoteJWKSet
  /** What jose fetched last, and when, in milliseconds. */
  fetched: Partial<ExportedJWKSCache>
  /** When it may be fetched again, in milliseconds. */
  next_try: number
  /** Why the last try failed; undefined when it did not. */
  failure?: unknown
}

const keySets = new Map<string, KeySet>()

/**
 * Finds the key of a token among those at an address. The set that was fetched last is kept in the isolate, and in the
 * Worker's cache for new isolates.
 *
 * @throws JWKSNoMatchingKey when the token names a key that there is not; any other error when there are no keys
 */
export function loginKeys(url: string): JWTVerifyGetKey {
  return async (header, token) => {
    const set = keySets.get(url) ?? (await open(url))
    if (ageOf(set) >= REFRESH_AFTER) await refresh(set)
    if (ageOf(set) >= USABLE_FOR) throw set.failure ?? new Error('the keys are being fetched')
    try {
      return await set.keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      if (await refresh(set)) return set.keys(header, token)
      // A new key may be there by now, behind a login that is out of reach.
      throw set.failure ?? error
    }
  }
}

async function open(url: string): Promise<KeySet> {
  // jose fetches and parses, and writes down here what it fetched; when it does so is decided by `refresh` alone.
  const cache = Object.assign<Record<string, never>, Partial<ExportedJWKSCache>>(
    {},
    (await recall(url)) ?? {},
  )
  const keys = createRemoteJWKSet(new URL(url), {
    [jwksCache]: cache,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
  })
  const set = keySets.get(url) ?? { url, keys, fetched: cache, next_try: (cache.uat ?? 0) + PAUSE }
  keySets.set(url, set)
  return set
}

function ageOf({ fetched: { uat } }: KeySet): number {
  return uat === undefined ? Number.POSITIVE_INFINITY : Date.now() - uat
}

/** Fetches the keys, unless that has been tried a short while ago. Tells whether there are new ones. */
async function refresh(set: KeySet): Promise<boolean> {
  // No request can wait for what another one fetches, so the first ones of an isolate each do it.
  const isFirst = ageOf(set) >= USABLE_FOR && set.failure === undefined
  if (Date.now() < set.next_try && !isFirst) return false
  set.next_try = Date.now() + PAUSE // at once, so that other requests go on with what there is
  try {
    await set.keys.reload()
    set.failure = undefined
    await keep(set)
    return true
  } catch (error) {
    set.failure = error
    if (ageOf(set) >= USABLE_FOR) set.next_try = Date.now() + PAUSE_WITHOUT_KEYS
    const { uat } = set.fetched
    console.error(
      JSON.stringify({
        message: 'the login’s keys could not be fetched',
        fetched_at: uat,
        cause: String(error),
      }),
    )
    return false
  }
}

/** The key set in the Worker's cache. A failing cache is no more than an empty one. */
async function recall(url: string): Promise<ExportedJWKSCache | undefined> {
  try {
    const kept = await withTimeout(
      CACHE_TIMEOUT_MS,
      cached((cache) => cache.match(url)),
    )
    return await kept?.json<ExportedJWKSCache>()
  } catch (error) {
    reportCache(error)
    return undefined
  }
}

async function keep({ url, fetched }: KeySet): Promise<void> {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': `max-age=${USABLE_FOR / 1_000}` }
  try {
    await withTimeout(
      CACHE_TIMEOUT_MS,
      cached((cache) => cache.put(url, Response.json(fetched, { headers }))),
    )
  } catch (error) {
    reportCache(error)
  }
}

/** One of its own: in the default cache, the entry would be what a fetch of the address answers. */
async function cached<Answer>(act: (cache: Cache) => Promise<Answer>): Promise<Answer> {
  return act(await caches.open('login-keys'))
}

function reportCache(error: unknown): void {
  console.warn(JSON.stringify({ message: 'the cache of the login’s keys is out', cause: String(error) }))
}

import { createMiddleware } from 'hono/factory'
import { isService } from '../auth/authenticate.ts'
import { areRateLimitsOn } from '../config/configuration.ts'
import type { RateLimits } from '../config/env.ts'
import type { AppEnv } from '../context.ts'
import { rateLimited } from '../errors.ts'
import { logError } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'

/**
 * How long a binding may take, in milliseconds. The platform counts on the Worker's own machine, so it usually answers at
 * once.
 */
const TIMEOUT_MS = 500
/** How long a binding is not called after a failure, in milliseconds. Otherwise each request would wait for TIMEOUT_MS. */
const PAUSE_MS = 10_000

/**
 * Limits a caller's requests and writes to the rates in wrangler.toml, with the platform's bindings
 * (docs/conformance.md#for-those-who-run-it). A missing or failing binding limits nothing.
 *
 * @throws RATE_LIMITED
 */
export const rateLimit = createMiddleware<AppEnv>(async (c, next) => {
  if (areRateLimitsOn(c.get('config'))) {
    const caller = c.get('caller')
    const limits = limitsOf(c.env, isService(caller), c.req.method !== 'GET' && c.req.method !== 'HEAD')
    const allowed = await Promise.all(limits.map((limit) => isAllowed(limit, caller.user_id)))
    if (allowed.includes(false)) throw rateLimited('Too many requests in a minute.')
  }
  await next()
})

/**
 * Limits the requests of a network to a public route, which has no caller: those of an IPv4 address, or of the /64 of an
 * IPv6 address. Carriers put many players behind one address, so the limit is wide (docs/deploying.md#around-the-worker).
 *
 * @throws RATE_LIMITED
 */
export const rateLimitByNetwork = createMiddleware<AppEnv>(async (c, next) => {
  // The platform sets the header, and replaces one that a client sends. The local server has none.
  const address = c.req.header('CF-Connecting-IP')
  if (address !== undefined && areRateLimitsOn(c.get('config'))) {
    if (!(await isAllowed(c.env.PICTURE_LIMIT, networkOf(address))))
      throw rateLimited('Too many requests from this network in a minute.')
  }
  await next()
})

/** The IPv4 address, or the first 64 bits of the IPv6 address, which one subscriber has. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}

function limitsOf(env: RateLimits, isOfService: boolean, isWrite: boolean): (RateLimit | undefined)[] {
  const requests = isOfService ? env.SERVICE_REQUEST_LIMIT : env.REQUEST_LIMIT
  const writes = isOfService ? env.SERVICE_WRITE_LIMIT : env.WRITE_LIMIT
  return isWrite ? [requests, writes] : [requests]
}

/** The time until which a failed binding is not called, in milliseconds. */
const pausedUntil = new WeakMap<RateLimit, number>()

async function isAllowed(limit: RateLimit | undefined, key: string): Promise<boolean> {
  if (!limit || Date.now() < (pausedUntil.get(limit) ?? 0)) return true
  try {
    return (await withTimeout(TIMEOUT_MS, limit.limit({ key }))).success
  } catch (error) {
    pausedUntil.set(limit, Date.now() + PAUSE_MS)
    logError('a rate limit is out: requests pass', { cause: String(error) })
    return true
  }
}

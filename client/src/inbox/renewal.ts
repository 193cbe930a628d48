import { claimsOf } from '../claims.ts'

/** A token is renewed this long before its expiry, or later (see USED_PART). */
const MARGIN_MS = 30_000
/** A short-lived token is used for at least this fraction of its remaining time. */
const USED_PART = 0.8
/** The longest delay that setTimeout accepts. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * The milliseconds until a token should be renewed. Undefined when its expiry is unreadable or past by this device's clock:
 * then the service's answer decides.
 */
export function renewalDelay(token: string, now_ms = Date.now()): number | undefined {
  const expires_at = expiryOf(token)
  if (expires_at === undefined) return undefined
  const left_ms = expires_at * 1_000 - now_ms
  if (left_ms <= 0) return undefined
  return Math.min(Math.max(left_ms - MARGIN_MS, left_ms * USED_PART), MAX_TIMER_MS)
}

/** The `exp` of a JWT, in Unix seconds. */
function expiryOf(token: string): number | undefined {
  const claims = claimsOf(token) ?? {}
  return 'exp' in claims && typeof claims.exp === 'number' && Number.isFinite(claims.exp)
    ? claims.exp
    : undefined
}

import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Config } from '../env.ts'
import { ApiError, unavailable } from '../errors.ts'
import { loginKeys } from './login-keys.ts'
import { isUserId } from './user-id.ts'

/** The sender of a request, from its token. */
export interface Caller {
  user_id: string
  scopes: ReadonlySet<string>
  /** When the token expires, in Unix seconds. */
  expires_at: number
}

/**
 * Verifies a signed token and returns its caller (decisions, "Access tokens"; RFC 7519). The algorithm comes from the
 * configuration, never from the token (RFC 8725 §3.1). It makes no trip to the database.
 *
 * @throws UNAUTHENTICATED for an invalid token; UNAVAILABLE when the issuer's keys cannot be fetched
 */
export async function verifyToken(config: Config, token: string): Promise<Caller> {
  const { sub, scope, scp, exp = 0, iat, nbf } = await verifiedPayload(config, token)
  if (![exp, iat, nbf].every((time) => time === undefined || isOfThisCentury(time)))
    throw unauthenticated('The times of the token ("exp", "iat", "nbf") are not Unix seconds.')
  if (typeof sub !== 'string' || !isUserId(sub)) throw unauthenticated('The token names no user ("sub").')
  return {
    user_id: sub,
    scopes: new Set([...scopesIn(scope), ...scopesIn(scp)]),
    expires_at: Math.floor(exp),
  }
}

/** The scopes in a claim: text separated by spaces (RFC 8693 §4.2), or a list. Anything else has no scopes. */
function scopesIn(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter(Boolean)
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : []
}

/** A time outside these years is not in seconds. A token whose `exp` is in milliseconds would never expire. */
function isOfThisCentury(time: number): boolean {
  return time >= Date.UTC(2000, 0) / 1_000 && time < Date.UTC(2100, 0) / 1_000
}

async function verifiedPayload(config: Config, token: string): Promise<JWTPayload> {
  const requiredClaims = ['sub', 'exp']
  try {
    if (config.JWKS_URL) {
      const { payload } = await jwtVerify(token, loginKeys(config.JWKS_URL), {
        algorithms: config.JWT_ALGORITHMS,
        issuer: config.JWT_ISSUER,
        audience: config.JWT_AUDIENCE,
        requiredClaims,
      })
      return payload
    }
    const { payload } = await jwtVerify(token, await sharedKey(config), {
      algorithms: ['HS256'],
      issuer: config.JWT_ISSUER,
      audience: config.JWT_AUDIENCE,
      requiredClaims,
    })
    return payload
  } catch (error) {
    throw verificationError(error)
  }
}

/** jose's errors for an invalid token. Any other error means that the keys are unavailable. */
const invalidTokenErrors = [
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
]

function verificationError(error: unknown): ApiError {
  if (error instanceof errors.JWTExpired) return unauthenticated('The token has expired.')
  if (invalidTokenErrors.some((type) => error instanceof type))
    return unauthenticated('The token is not valid.')
  return unavailable('The keys that tokens are checked with could not be fetched. Try again.', error)
}

/** A 401 with its challenge (RFC 6750 §3). */
export function unauthenticated(detail: string): ApiError {
  const challenge = `Bearer error="invalid_token", error_description="${detail.replaceAll('"', "'")}"`
  return new ApiError('UNAUTHENTICATED', { detail, headers: { 'WWW-Authenticate': challenge } })
}

const sharedKeys = new WeakMap<Config, Promise<CryptoKey>>()

function sharedKey(config: Config): Promise<CryptoKey> {
  const known = sharedKeys.get(config) ?? importSecret(config.JWT_SECRET ?? '')
  sharedKeys.set(config, known)
  return known
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

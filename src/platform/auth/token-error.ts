import type { JWTPayload } from 'jose'
import * as errors from 'jose/errors'
import { ratings } from '../db/enumerations.ts'
import { ApiError, unavailable } from '../errors.ts'
import { whyNoUserId } from './caller.ts'

/** A 401 with its challenge (RFC 6750 §3). `detail` is ASCII without backslashes, as `error_description` has to be. */
export function unauthenticated(detail: string): ApiError {
  const challenge = `Bearer error="invalid_token", error_description="${detail.replaceAll('"', "'")}"`
  return new ApiError('UNAUTHENTICATED', { detail, headers: { 'WWW-Authenticate': challenge } })
}

/** The configured values that a token must have. */
interface Expected {
  algorithms: readonly string[]
  issuer: string | undefined
}

/**
 * The error for a token that could not be verified. It names a claim only when the signature is right, because jose checks
 * the signature before any claim. Of the configuration, it reveals only the algorithms.
 */
export function tokenError(error: unknown, token: string, { algorithms, issuer }: Expected): ApiError {
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed)
    return unauthenticated(whyClaimFailed(error, issuer))
  if (error instanceof errors.JWTInvalid)
    return unauthenticated('The content of the token is not a JSON object.')
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return unauthenticated('The signature of the token is wrong: another key signed it, or it was changed.')
  if (error instanceof errors.JOSEAlgNotAllowed)
    return unauthenticated(
      `The algorithm of the token ("alg") is not one of those allowed: ${algorithms.join(', ')}.`,
    )
  if (error instanceof errors.JWKSNoMatchingKey)
    return unauthenticated('The key set of the login has no key for this token ("kid", "alg").')
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return unauthenticated(
      'The token names no key ("kid"), and the key set of the login has several that fit.',
    )
  if (error instanceof errors.JOSENotSupported)
    return unauthenticated('The token has an extension that is not known here ("crit").')
  if (error instanceof errors.JWSInvalid) return unauthenticated(whyNoToken(token))
  return unavailable('The keys that tokens are checked with could not be fetched. Try again.', error)
}

/** Why a text is not a signed token. Logins also issue encrypted tokens, and opaque ones that only they can read. */
function whyNoToken(token: string): string {
  const parts = token.split('.').length
  if (parts === 3) return 'The header or the signature of the token is malformed.'
  const kind = parts === 5 ? 'it is encrypted (a JWE of five parts)' : `it has ${parts} of three parts`
  return `The token is not a signed JWT: ${kind}.`
}

/** The meaning of each required claim. */
const NEEDED: Record<string, string> = {
  sub: 'the user id',
  exp: 'when it expires, in Unix seconds',
  iss: 'compared with JWT_ISSUER',
  aud: 'compared with JWT_AUDIENCE',
}

function whyClaimFailed(
  { claim, reason, payload }: errors.JWTExpired | errors.JWTClaimValidationFailed,
  issuer: string | undefined,
): string {
  if (reason === 'missing') return `The token has no "${claim}" (${NEEDED[claim]}).`
  const times = whyBadTimes(payload)
  if (times) return times
  if (claim === 'exp') return 'The token has expired ("exp").'
  if (claim === 'nbf') return 'The token is not valid yet ("nbf").'
  if (claim === 'aud') return 'The "aud" of the token does not contain JWT_AUDIENCE.'
  const isNearly = issuer === `${payload.iss}/` || `${issuer}/` === payload.iss
  return `The "iss" of the token is not equal to JWT_ISSUER${isNearly ? ': they differ in a "/" at the end' : ''}.`
}

/** Why the claims of a verified token are not valid, as far as jose doesn't check them; undefined when they are. */
export function whyBadPayload({ sub, max_rating, ...times }: JWTPayload): string | undefined {
  return whyBadTimes(times) ?? whyBadSubject(sub) ?? whyBadRating(max_rating)
}

function whyBadTimes(payload: JWTPayload): string | undefined {
  for (const claim of ['exp', 'iat', 'nbf'] as const) {
    const time: unknown = payload[claim]
    if (time === undefined) continue
    if (typeof time !== 'number')
      return `The "${claim}" of the token is ${kindOf(time)} and not a number (Unix seconds).`
    if (!isOfThisCentury(time))
      return `The "${claim}" of the token is not in Unix seconds${isOfThisCentury(time / 1_000) ? ': it looks like milliseconds' : ''}.`
  }
  return undefined
}

function whyBadSubject(sub: unknown): string | undefined {
  if (typeof sub !== 'string') return `The "sub" of the token (the user id) is ${kindOf(sub)} and not text.`
  const reason = whyNoUserId(sub)
  return reason && `The "sub" of the token (the user id) ${reason}.`
}

/** A bound that is not understood would let its player see everything. */
function whyBadRating(max_rating: unknown): string | undefined {
  if (max_rating === undefined || ratings.some((rating) => rating === max_rating)) return undefined
  const kind = typeof max_rating === 'string' ? 'another text' : kindOf(max_rating)
  return `The "max_rating" of the token is ${kind} and not one of ${ratings.join(', ')}.`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'text' : `a ${typeof value}`
}

/** A time outside these years is not in seconds. A token whose `exp` is in milliseconds would never expire. */
function isOfThisCentury(time: number): boolean {
  return time >= Date.UTC(2000, 0) / 1_000 && time < Date.UTC(2100, 0) / 1_000
}

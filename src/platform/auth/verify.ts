import type { JWTPayload } from 'jose'
import { jwtVerify } from 'jose/jwt/verify'
import type { Config } from '../config/variables.ts'
import { ratings } from '../db/enumerations.ts'
import { MINUTE } from '../lib/units.ts'
import type { Caller } from './caller.ts'
import { loginKeys } from './login-keys.ts'
import { tokenError, unauthenticated, whyBadPayload } from './token-error.ts'

/**
 * Verifies a signed token and returns its caller (docs/conformance.md#access-tokens; RFC 7519). The algorithm comes from the
 * configuration, never from the token (RFC 8725 §3.1). Makes no call to the database. A token that this isolate has
 * verified before is only looked up.
 *
 * @throws UNAUTHENTICATED for an invalid token; UNAVAILABLE when the issuer's keys cannot be fetched
 */
export async function verifyToken(config: Config, token: string): Promise<Caller> {
  const known = knownTokens(config)
  const hash = await hashOf(token)
  const remembered = known.callerOf(hash)
  if (remembered) return remembered
  const caller = await verifiedCaller(config, token)
  known.remember(hash, caller)
  return caller
}

const tokens = new WeakMap<Config, KnownTokens>()

function knownTokens(config: Config): KnownTokens {
  const known = tokens.get(config) ?? new KnownTokens(config)
  tokens.set(config, known)
  return known
}

async function verifiedCaller(config: Config, token: string): Promise<Caller> {
  const payload = await verifiedPayload(config, token)
  const problem = whyBadPayload(payload)
  if (problem) throw unauthenticated(problem)
  const { sub = '', exp = 0, scope, scp } = payload
  return {
    user_id: sub,
    scopes: new Set([...scopesIn(scope), ...scopesIn(scp)]),
    max_rating: ratings.find((rating) => rating === payload.max_rating),
    expires_at: Math.floor(exp),
  }
}

/** The scopes in a claim: text separated by spaces (RFC 8693 §4.2), or a list. Anything else has no scopes. */
function scopesIn(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter(Boolean)
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : []
}

async function verifiedPayload(config: Config, token: string): Promise<JWTPayload> {
  const algorithms = config.JWKS_URL ? config.JWT_ALGORITHMS : ['HS256']
  const options = {
    algorithms,
    issuer: config.JWT_ISSUER,
    audience: config.JWT_AUDIENCE,
    requiredClaims: ['sub', 'exp'],
  }
  try {
    const { payload } = config.JWKS_URL
      ? await jwtVerify(token, loginKeys(config.JWKS_URL), options)
      : await jwtVerify(token, await sharedKey(config), options)
    return payload
  } catch (error) {
    throw tokenError(error, token, options)
  }
}

const sharedKeys = new WeakMap<Config, CryptoKey>()

async function sharedKey(config: Config): Promise<CryptoKey> {
  const key = sharedKeys.get(config) ?? (await importSecret(config.JWT_SECRET ?? ''))
  sharedKeys.set(config, key)
  return key
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** The most tokens that an isolate remembers. One takes about 300 bytes. */
const MAX_TOKENS = 5_000

/**
 * How long a token that a login's key has signed is remembered, in milliseconds: tokens of a revoked key are accepted for
 * as long. A token that JWT_SECRET has signed is remembered until it expires.
 */
const REMEMBERED_MS = MINUTE * 1_000

interface Known {
  caller: Caller
  /** When the token is forgotten, in milliseconds. */
  until_ms: number
}

/**
 * The callers of the tokens that this isolate has verified, so that it verifies a token once and not with each request.
 * Tokens are kept as hashes, so that the memory holds no usable token.
 */
export class KnownTokens {
  readonly #known = new Map<string, Known>()
  readonly #longest_ms: number

  constructor({ JWKS_URL }: Config) {
    this.#longest_ms = JWKS_URL === undefined ? Number.POSITIVE_INFINITY : REMEMBERED_MS
  }

  /** The caller of a remembered token, by the token's hash. */
  callerOf(hash: string): Caller | undefined {
    const known = this.#known.get(hash)
    if (known === undefined || Date.now() < known.until_ms) return known?.caller
    this.#known.delete(hash)
    return undefined
  }

  /** Remembers the caller of a token, by the token's hash. Above MAX_TOKENS, the oldest is forgotten. */
  remember(hash: string, caller: Caller): void {
    const [oldest] = this.#known.keys()
    if (this.#known.size >= MAX_TOKENS && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(hash, {
      caller,
      until_ms: Math.min(caller.expires_at * 1_000, Date.now() + this.#longest_ms),
    })
  }
}

/** The SHA-256 of a token, a character for each byte. */
async function hashOf(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', encoder.encode(token))
  return String.fromCharCode(...new Uint8Array(hash))
}

const encoder = new TextEncoder()

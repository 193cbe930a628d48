import type { Config } from '../config/variables.ts'
import { MINUTE } from '../lib/time-units.ts'
import type { Caller } from './caller.ts'

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
export async function hashOf(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', encoder.encode(token))
  return String.fromCharCode(...new Uint8Array(hash))
}

const encoder = new TextEncoder()

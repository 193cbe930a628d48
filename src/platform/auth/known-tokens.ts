import type { Config } from '../config/variables.ts'
import { MINUTE } from '../lib/time-units.ts'
import type { Caller } from './caller.ts'

/** How many tokens an isolate remembers. One takes about 300 bytes. */
const MAX_TOKENS = 5_000

/**
 * How long a token is remembered that a login's key has signed, in milliseconds: a key that the login takes back is used so
 * much longer. One that the shared secret has signed is remembered until it expires.
 */
const REMEMBERED_MS = MINUTE * 1_000

interface Known {
  caller: Caller
  /** In milliseconds. */
  until_ms: number
}

/**
 * The callers of tokens that this isolate has verified, so that it need not verify a player's token with each request. It
 * keeps hashes, not tokens: whoever reads its memory can't use them.
 */
export class KnownTokens {
  readonly #known = new Map<string, Known>()
  readonly #longest_ms: number

  constructor({ JWKS_URL }: Config) {
    this.#longest_ms = JWKS_URL === undefined ? Number.POSITIVE_INFINITY : REMEMBERED_MS
  }

  /** The caller of a token that was verified before and has not expired. */
  callerOf(hash: string): Caller | undefined {
    const known = this.#known.get(hash)
    if (known === undefined || Date.now() < known.until_ms) return known?.caller
    this.#known.delete(hash)
    return undefined
  }

  /** Remembers a token in place of the oldest one when there are too many. */
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

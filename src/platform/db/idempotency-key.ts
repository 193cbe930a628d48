import * as base64url from 'jose/base64url'
import { ApiError } from '../errors.ts'
import { DAY } from '../lib/time-units.ts'

/** A caller's Idempotency-Key, with a hash of the request that it came with. */
export interface IdempotencyKey {
  caller_id: string
  key: string
  request_hash: string
  /** When the request came, in Unix seconds. */
  now: number
}

/** Binds the key that a caller sent to its request. `request` has everything that makes the request differ from others. */
export async function idempotencyKeyOf(
  caller_id: string,
  key: string | undefined,
  request: unknown,
  now: number,
): Promise<IdempotencyKey | undefined> {
  if (key === undefined) return undefined
  const bytes = new TextEncoder().encode(JSON.stringify(request))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return { caller_id, key, request_hash: base64url.encode(hash), now }
}

/** The error of a key that came with another request. */
export function keyReused(): ApiError {
  return new ApiError('IDEMPOTENCY_KEY_REUSED', {
    detail: 'This Idempotency-Key came with another request. Use a new key for each new request.',
  })
}

/** The lifetime of a key. */
export const KEY_LIFETIME_SECONDS = DAY

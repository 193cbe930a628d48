import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { base64url } from 'jose'
import type { RetryKey } from '../db/once.ts'
import type { AppEnv } from './context.ts'

/** The header by which a client may repeat a creation without making a second thing (decisions, "Conventions"). */
export const IdempotencyKey = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({
      param: { in: 'header' },
      description:
        'A name for this attempt, chosen by the client. Repeating the request with it within 24 hours makes nothing new and answers with what the first one made.',
      example: '5f0c7a52-create-maps',
    }),
})

/**
 * The request's key, bound to the caller and to the request: its method, its path and its validated body, so
 * that neither white space nor an unknown member makes it another request.
 */
export async function retryKey(c: Context<AppEnv>, input: unknown): Promise<RetryKey | undefined> {
  const key = c.req.header('Idempotency-Key')
  if (key === undefined) return undefined
  const request = new TextEncoder().encode(JSON.stringify([c.req.method, c.req.path, input]))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', request))
  return {
    caller_id: c.var.caller.user_id,
    key,
    request_hash: base64url.encode(hash),
    now: Math.floor(Date.now() / 1000),
  }
}

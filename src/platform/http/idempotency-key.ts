import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { AppEnv } from '../context.ts'
import { hashOfKey, type IdempotencyKey, idempotencyKeyOf } from '../db/idempotency.ts'

/** The header with which a client can repeat a creation without creating twice (docs/conformance.md#conventions). */
export const IdempotencyKeyHeader = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({
      param: { in: 'header' },
      description:
        'A text that the client chooses for this creation. A repetition of the request with the same key within 24 hours creates nothing, and its answer has the resource that the first one created.',
    }),
})

/**
 * The request's key, bound to the caller and to the request: method, path and validated body. White space and unknown
 * members do not make it another request. A request that does the work of others has their `path` and input.
 */
export async function idempotencyKey(
  c: Context<AppEnv>,
  input: unknown,
  path = c.req.path,
): Promise<IdempotencyKey | undefined> {
  const request = [c.req.method, path, input]
  const now = Math.floor(Date.now() / 1000)
  return idempotencyKeyOf(c.get('caller').user_id, await sentKey(c), request, now)
}

/**
 * The Idempotency-Key of a request as the caller's. On behalf of a player it belongs to the actor and the player together: it is
 * a hash of the actor and the key after a line break, which no header has, so that it equals no key of the player's own.
 */
export async function sentKey(c: Context<AppEnv>): Promise<string | undefined> {
  const key = c.req.header('Idempotency-Key')
  const actor = c.get('actor')
  if (key === undefined || actor === undefined) return key
  return `\n${await hashOfKey({ caller_id: actor.user_id, key })}`
}

/**
 * The cache of Workers in front of this one, which keeps pictures that everybody may see (docs/decisions.md#pictures). Without it,
 * as in development, nothing here has an effect.
 */
import * as base64url from 'jose/base64url'
import type { Message } from '../config/message.ts'
import { logWarning } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'
import { MINUTE } from '../lib/units.ts'

/** How long the cache and a browser show a picture without asking again, in seconds. */
export const MAX_AGE = 5 * MINUTE

/** What a kept picture belongs to, such as `['asset', id]`. Dropping it drops all its pictures. */
export type CacheTag = readonly [kind: string, id: string]

/** The value of `Cache-Tag`. The ids are hashed, because the platform takes only ASCII, and takes `Ada` and `ada` for one tag. */
export async function tagHeader(tags: readonly CacheTag[]): Promise<string> {
  return (await Promise.all(tags.map(textOf))).join(',')
}

const utf8 = new TextEncoder()

async function textOf([kind, id]: CacheTag): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', utf8.encode(id))
  return `${kind}-${base64url.encode(new Uint8Array(hash))}`
}

/** The cache of an invocation; undefined where there is none. Hono's type of the context has no such member. */
export function cacheOf(ctx: object): CacheContext | undefined {
  const cache: unknown = Reflect.get(ctx, 'cache')
  return isCache(cache) ? cache : undefined
}

function isCache(value: unknown): value is CacheContext {
  return typeof value === 'object' && value !== null && 'purge' in value
}

interface DropContext {
  cache: CacheContext
  timeout_ms: number
}

/** The most tags of one call to the platform. */
const MAX_TAGS = 100

/** Drops the pictures with these tags everywhere. Never throws. Returns whether the platform took all calls. */
export async function dropFromCache(
  { cache, timeout_ms }: DropContext,
  texts: Iterable<string>,
): Promise<boolean> {
  const all = [...new Set(texts)]
  try {
    for (let from = 0; from < all.length; from += MAX_TAGS) {
      const tags = all.slice(from, from + MAX_TAGS)
      const { success, errors } = await withTimeout(timeout_ms, cache.purge({ tags }))
      if (!success) throw new Error(errors.map(({ code, message }) => `${code} ${message}`).join('; '))
    }
    return true
  } catch (error) {
    logWarning('pictures stay in the cache', { tags: all.length, error: String(error) })
    return false
  }
}

/**
 * The platform takes 5 calls a minute (and 25 at once). So what players end is collected by the queue: messages become due
 * together, every SLOT seconds, and one call has the tags of up to 100 of them.
 */
const SLOT = 15

/** A picture that is on its way to the cache when it ends arrives there within this time, in seconds. */
const ON_THE_WAY = 5

/** In how many seconds tags are dropped that are queued now. */
export function secondsToSlot(now_ms: number): number {
  const earliest = Math.floor(now_ms / 1_000) + ON_THE_WAY
  return ON_THE_WAY + SLOT - (earliest % SLOT)
}

/** Whether tags that were queued at `queued_ms` are of no use any more: caches have nothing that old. */
export function isExpired(queued_ms: number, now_ms: number): boolean {
  return now_ms - queued_ms > (MAX_AGE + ON_THE_WAY) * 1_000
}

/**
 * Drops the pictures that a request has ended, after its answer. What an operator's request ends is dropped at once, and a
 * second time by the queue, for a picture that was on its way. What a player's ends is dropped by the queue alone. Without a queue
 * that takes the message, both are dropped at once. A picture that stays nevertheless stays for MAX_AGE at most.
 */
export async function dropEnded(
  ctx: DropContext & { queue: Queue<Message> | undefined; isUrgent: boolean },
  ended: readonly CacheTag[],
): Promise<void> {
  const tags = await Promise.all(ended.map(textOf))
  const isQueued = await enqueue(ctx.queue, tags)
  if (ctx.isUrgent || !isQueued) await dropFromCache(ctx, tags)
}

async function enqueue(queue: Queue<Message> | undefined, tags: string[]): Promise<boolean> {
  if (!queue) return false
  try {
    await queue.send({ kind: 'pictures', tags }, { delaySeconds: secondsToSlot(Date.now()) })
    return true
  } catch (error) {
    logWarning('ended pictures were not queued', { error: String(error) })
    return false
  }
}

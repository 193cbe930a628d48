import {
  createExecutionContext,
  createMessageBatch,
  env,
  getQueueResult,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { app } from '../../src/app.ts'
import worker from '../../src/index.ts'
import type { Message } from '../../src/platform/config/message.ts'
import { overridden } from './meter.ts'
import type { Different, Fetch } from './service.ts'

/** A response that the cache keeps. */
interface Kept {
  status: number
  headers: Headers
  body: ArrayBuffer
  tags: string[]
  until_ms: number
}

/** The statuses that are kept for a while without `Cache-Control`. */
const HEURISTIC = [200, 203, 204, 300, 301, 404, 405, 410, 414, 501]

/**
 * The Worker behind a cache, as the platform documents the cache of Workers (developers.cloudflare.com/workers/cache/): keyed by
 * path and query, it keeps what an answer allows, and also what has no `Cache-Control`. It stands in for what no local runtime has.
 */
export class Edge {
  readonly kept = new Map<string, Kept>()
  /** The tags of each call to drop. */
  readonly calls: string[][] = []
  /** How many more calls the platform takes. */
  tokens = Number.POSITIVE_INFINITY
  /** What the queue holds. */
  queued: { body: Message; delaySeconds: number }[] = []
  /** Whether the queue takes messages. */
  hasQueue = true
  /** Added to the time. */
  later_ms = 0
  /** How many requests have reached the Worker. */
  misses = 0
  /** Runs while a response is on its way to the cache. */
  onTheWay = async () => {}

  readonly #different: Different

  constructor(different: Different = {}) {
    this.#different = different
  }

  readonly fetch: Fetch = async (request) => {
    const { pathname, search } = new URL(request.url)
    const isCacheable = ['GET', 'HEAD'].includes(request.method) && !request.headers.has('Upgrade')
    if (!isCacheable) return this.#run(request)
    const key = pathname + search
    const found = this.kept.get(key)
    if (found && found.until_ms > Date.now() + this.later_ms) return answerOf(found, request, 'HIT')
    const response = await this.#run(new Request(request, { method: 'GET' }))
    const until_ms = untilOf(response, Date.now() + this.later_ms)
    if (until_ms === undefined) return response
    const { status, headers } = response
    const tags = headers.get('Cache-Tag')?.toLowerCase().split(',') ?? []
    const fresh = { status, headers, body: await response.arrayBuffer(), tags, until_ms }
    await this.onTheWay()
    this.kept.set(key, fresh)
    return answerOf(fresh, request, 'MISS')
  }

  get #cache(): CacheContext {
    const purge = async ({ tags = [] }: CachePurgeOptions): Promise<CachePurgeResult> => {
      if (this.tokens-- <= 0) return { success: false, errors: [{ code: 10_000, message: 'rate limited' }] }
      this.calls.push(tags)
      const named = new Set(tags.map((tag) => tag.toLowerCase()))
      for (const [key, kept] of this.kept) if (kept.tags.some((tag) => named.has(tag))) this.kept.delete(key)
      return { success: true, errors: [] }
    }
    return { purge, invalidate: purge }
  }

  async #run(request: Request): Promise<Response> {
    this.misses++
    const send = async (body: Message, { delaySeconds = 0 } = {}) => {
      if (!this.hasQueue) throw new Error('the queue is out')
      this.queued.push({ body, delaySeconds })
    }
    const queue = overridden(env.EVENTS, { send, sendBatch: async () => {} })
    const ctx = createExecutionContext()
    const response = await app.fetch(
      request,
      { ...env, ...this.#different, EVENTS: queue },
      overridden(ctx, { cache: this.#cache }),
    )
    await waitOnExecutionContext(ctx)
    return response
  }

  /** Delivers what the queue holds, `age_ms` after it was sent. Returns the delays of the messages that come again. */
  async deliver(age_ms = 0): Promise<number[]> {
    const sent = this.queued.splice(0)
    const timestamp = new Date(Date.now() - age_ms)
    const messages = sent.map(({ body }, index) => ({ id: String(index), timestamp, attempts: 1, body }))
    const batch = createMessageBatch('edge-game-storage-events', messages)
    const ctx = createExecutionContext()
    await worker.queue(batch, env, overridden(ctx, { cache: this.#cache }))
    const { retryMessages } = await getQueueResult(batch, ctx)
    const again = retryMessages.map(({ msgId, delaySeconds = 0 }) => ({
      message: sent[Number(msgId)],
      delaySeconds,
    }))
    for (const { message, delaySeconds } of again) if (message) this.queued.push({ ...message, delaySeconds })
    return again.map(({ delaySeconds }) => delaySeconds)
  }
}

/** Until when a shared cache keeps a response; undefined when it does not. */
function untilOf({ status, headers }: Response, now_ms: number): number | undefined {
  const control = headers.get('Cache-Control')
  if (control === null) return HEURISTIC.includes(status) ? now_ms + 60_000 : undefined
  if (
    /\b(?:no-store|private)\b/.test(control) ||
    headers.has('Set-Cookie') ||
    status === 206 ||
    status === 304
  )
    return undefined
  const [, seconds] = /\bmax-age=(\d+)/.exec(control) ?? []
  return now_ms + Number(seconds ?? 0) * 1_000
}

function answerOf({ status, headers, body }: Kept, request: Request, cached: 'HIT' | 'MISS'): Response {
  const shown = new Headers(headers)
  shown.delete('Cache-Tag')
  shown.set('Cf-Cache-Status', cached)
  if (status === 200 && request.headers.get('If-None-Match') === headers.get('ETag'))
    return new Response(null, { status: 304, headers: shown })
  return new Response(request.method === 'HEAD' || status === 304 ? null : body, { status, headers: shown })
}

import { DurableObject } from 'cloudflare:workers'
import type { z } from '@hono/zod-openapi'
import { newId } from '../db/id.ts'
import { KEY_LIFETIME_SECONDS } from '../db/idempotency.ts'
import type { Env } from '../env.ts'
import type { InboxEvent, Ready } from './event.ts'
import { countReceived, refusedFor } from './flood.ts'
import type { ListNotifications, Notification, PublishNotification } from './schema.ts'
import { acceptSocket, closeAll, closeExpired, deliver, nextExpiry } from './sockets.ts'
import { InboxStore } from './store.ts'

const DAY = 24 * 60 * 60
/** As many notifications as one alarm removes before it rings again. */
const RETIRED_AT_ONCE = 500
/** As many as one publication removes when there are more than may be; the alarm removes the others. */
const MADE_ROOM_AT_ONCE = 4
/** More bytes than this in a message are said to be too many. */
const MOST_IN_A_MESSAGE = 1_024

/** What an inbox is told with each call, since it has no request and no configuration of its own. */
export interface InboxRules {
  /** Unix seconds. */
  now: number
  retention_days: number
  max_notifications: number
}

/** A publication's Idempotency-Key: it belongs to one publisher and, being kept here, to one recipient. */
export interface PublicationKey {
  publisher: string
  key: string
  request_hash: string
}

/** What publishing came to. */
export type Published =
  | { notification: Notification; refused?: never }
  | { refused: 'IDEMPOTENCY_KEY_REUSED'; notification?: never }

/**
 * One user's notifications and sockets (architecture, "The inbox"). What a method does to the storage it does without
 * awaiting anything in between, so calls never interleave; what it sends waits for the storage, because the platform
 * holds back what an object says until it is written: persist, then deliver.
 */
export class Inbox extends DurableObject<Env> {
  readonly #store: InboxStore

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#store = new InboxStore(ctx.storage.sql)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }

  /** A page of notifications, newest first, with the counts of the whole inbox, all true at `seq`. */
  list({ limit, offset }: ListNotifications) {
    return { notifications: this.#store.page(limit, offset), ...this.#store.counts() }
  }

  counts() {
    return this.#store.counts()
  }

  /** Adds a notification, once for each key, and tells every device. */
  publish(input: Omit<PublishNotification, 'user_id'>, rules: InboxRules, key?: PublicationKey): Published {
    const { now } = rules
    return this.#change((changed) => {
      const earlier = key && this.#store.recall(key.publisher, key.key, now)
      if (earlier)
        return earlier.request_hash === key.request_hash
          ? { notification: JSON.parse(earlier.response) }
          : { refused: 'IDEMPOTENCY_KEY_REUSED' }
      const { type, data } = input
      const notification: Notification = {
        id: newId(this.#userId()),
        type,
        data,
        state: 'unread',
        created_at: now,
      }
      changed(this.#store.add(notification))
      if (key) {
        const { publisher, request_hash } = key
        this.#store.remember(
          publisher,
          key.key,
          request_hash,
          JSON.stringify(notification),
          now + KEY_LIFETIME_SECONDS,
        )
        this.#scheduleAlarm(now + KEY_LIFETIME_SECONDS)
      }
      if (!this.#makeRoom(rules, MADE_ROOM_AT_ONCE, changed))
        this.#scheduleAlarm(Math.floor(Date.now() / 1_000))
      return { notification }
    }, rules)
  }

  /** The user whose inbox this is: callers address an inbox by the user's id. */
  #userId(): string {
    const { name } = this.ctx.id
    if (name === undefined) throw new Error('an inbox must be addressed by name')
    return name
  }

  /** Marks those of the ids that are unread, or, with null, all. Tells how many. */
  markRead(ids: string[] | null): number {
    return this.#change((changed) => {
      const marked = this.#store.markRead(ids)
      if (marked) changed(marked.event)
      return marked?.count ?? 0
    })
  }

  /** Removes a notification; false when there is none of that id. */
  remove(id: string): boolean {
    return this.#change((changed) => {
      const removed = this.#store.remove(id)
      if (removed) changed(removed)
      return removed !== undefined
    })
  }

  /**
   * Erases what is there, once for each erasure's `mark`, and closes the sockets if there was anything, or if asked to.
   * Tells how many rows there were.
   */
  erase(mark: string, { sockets = false } = {}): number {
    const erased = this.ctx.storage.transactionSync(() => this.#store.erase(mark))
    if (sockets || erased > 0) closeAll(this.ctx)
    return erased
  }

  /**
   * Takes a socket: the caller is known already, and says until when and where to go on. 429 after a user's sockets have
   * brought too much.
   */
  override fetch(request: Request): Response {
    const seconds = refusedFor(this.ctx.storage, Math.floor(Date.now() / 1_000))
    if (seconds > 0) return new Response(null, { status: 429, headers: { 'Retry-After': String(seconds) } })
    const { after, expires_at, protocol } = connectionOf(request)
    const standing = this.#store.counts()
    const missed = after === null ? undefined : this.#store.since(after)
    const ready: z.output<typeof Ready> = missed
      ? { type: 'ready', seq: missed.seq, unread: missed.unread, data: { recovered: true } }
      : { type: 'ready', seq: standing.seq, unread: standing.unread, data: { recovered: false } }
    const client = acceptSocket(this.ctx, expires_at, [ready, ...(missed?.events ?? [])])
    this.#scheduleAlarm(expires_at)
    const headers = protocol === null ? undefined : { 'Sec-WebSocket-Protocol': protocol }
    return new Response(null, { status: 101, webSocket: client, headers })
  }

  /** Clients only listen; `ping` is answered by the platform. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const bytes = lengthOf(message)
    countReceived(this.ctx.storage, bytes, Math.floor(Date.now() / 1_000))
    if (bytes > MOST_IN_A_MESSAGE) socket.close(1009, 'A message may have at most 1 KiB.')
    else socket.close(1008, 'This socket takes no messages but ping.')
  }

  /** Answers a client that closes: the platform does not, and the client would wait for it. */
  override webSocketClose(socket: WebSocket): void {
    socket.close(1000)
  }

  /** Does what is due: sockets whose token has expired, keys, and notifications that have been kept long enough. */
  override alarm(): void {
    this.#alarm = undefined
    const rules = this.ctx.storage.kv.get<InboxRules>('rules')
    const now = Math.floor(Date.now() / 1_000)
    closeExpired(this.ctx, now)
    const nextKey = this.#store.forgetKeys(now)
    const isRoom = this.#change((changed) => {
      if (!rules) return true
      const retired = this.#expire({ ...rules, now }, RETIRED_AT_ONCE, changed)
      return this.#makeRoom(rules, RETIRED_AT_ONCE - retired, changed)
    })
    const oldest = this.#store.oldest()
    const nextRetirement = isRoom ? rules && oldest && oldest.created_at + rules.retention_days * DAY : now
    const due = [nextExpiry(this.ctx), nextKey, nextRetirement].filter((time) => time !== undefined)
    if (due.length > 0) this.#scheduleAlarm(Math.min(...due))
  }

  /** Removes what has been kept for long enough, up to a number. Tells how many. */
  #expire({ now, retention_days }: InboxRules, most: number, changed: (event: InboxEvent) => void): number {
    for (let removed = 0; removed < most; removed++) {
      const oldest = this.#store.oldest()
      if (!oldest || oldest.created_at + retention_days * DAY > now) return removed
      const event = this.#store.remove(oldest.id)
      if (event) changed(event)
    }
    return most
  }

  /** Removes the oldest while there are more than may be, up to a number. Tells whether there are no more than that. */
  #makeRoom({ max_notifications }: InboxRules, most: number, changed: (event: InboxEvent) => void): boolean {
    let { total } = this.#store.counts()
    for (let removed = 0; removed < most && total > max_notifications; removed++, total--) {
      const oldest = this.#store.oldest()
      const event = oldest && this.#store.remove(oldest.id)
      if (event) changed(event)
    }
    return total <= max_notifications
  }

  /** One transaction, and then its events to all sockets, in order. */
  #change<Answer>(work: (changed: (event: InboxEvent) => void) => Answer, rules?: InboxRules): Answer {
    const events: InboxEvent[] = []
    const answer = this.ctx.storage.transactionSync(() => {
      const answer = work((event) => events.push(event))
      if (rules && events.length > 0) this.#keep(rules)
      return answer
    })
    deliver(this.ctx, events)
    return answer
  }

  /** The rules for the alarm, which nobody tells any; it rings when the oldest notification is due. */
  #keep(rules: InboxRules): void {
    const { retention_days, max_notifications } = rules
    const kept = this.ctx.storage.kv.get<InboxRules>('rules')
    if (kept?.retention_days !== retention_days || kept.max_notifications !== max_notifications)
      this.ctx.storage.kv.put('rules', rules)
    const oldest = this.#store.oldest()
    if (oldest) this.#scheduleAlarm(oldest.created_at + retention_days * DAY)
  }

  /** When the alarm is set to ring, in Unix seconds, as far as this instance knows. */
  #alarm: number | undefined

  #scheduleAlarm(time: number): void {
    if (this.#alarm !== undefined && this.#alarm <= time) return
    this.#alarm = time
    void this.#setAlarm(time * 1_000)
  }

  async #setAlarm(time: number): Promise<void> {
    try {
      const set = await this.ctx.storage.getAlarm()
      if (set === null || set > time) await this.ctx.storage.setAlarm(time)
    } catch (error) {
      this.#alarm = undefined // so that the next one sets it
      console.error(JSON.stringify({ message: 'the alarm was not set', error: String(error) }))
    }
  }
}

/** A message's length in bytes; at least its characters, where they alone are too many to be counted exactly. */
function lengthOf(message: string | ArrayBuffer): number {
  if (typeof message !== 'string') return message.byteLength
  return message.length > MOST_IN_A_MESSAGE ? message.length : new TextEncoder().encode(message).byteLength
}

/** What the route has found out about a connection, told in headers: a socket can't cross an RPC call. */
function connectionOf({ headers }: Request): {
  after: number | null
  expires_at: number
  protocol: string | null
} {
  const after = headers.get('X-After')
  return {
    after: after === null ? null : Number(after),
    expires_at: Number(headers.get('X-Expires-At')),
    protocol: headers.get('X-Protocol'),
  }
}

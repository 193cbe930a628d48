import { DurableObject } from 'cloudflare:workers'
import { newId } from '../db/id.ts'
import { KEY_LIFETIME_SECONDS } from '../db/idempotency.ts'
import type { Env } from '../env.ts'
import { DAY } from '../lib/time-units.ts'
import { migrate } from './migrations.ts'
import type { InboxMethods, InboxRules, PublicationKey, Published } from './rpc.ts'
import type { InboxEvent, ListNotifications, Notification, PublishNotification, Ready } from './schema.ts'
import {
  acceptSocket,
  closeAll,
  closeExpired,
  deliver,
  nextExpiry,
  rejectionSeconds,
  rejectMessage,
} from './sockets.ts'
import { InboxStore } from './store.ts'

/** How many notifications one alarm deletes at most. The next alarm continues. */
const DELETED_PER_ALARM = 500
/** How many notifications a publication deletes at most when there are too many. The alarm deletes the others. */
const EVICTED_PER_PUBLICATION = 4

type Emit = (event: InboxEvent) => void

/**
 * One user's notifications and sockets (architecture, "The inbox"). A method awaits nothing between two accesses to the
 * storage, so calls do not interleave. The platform holds back what an object sends until its writes are stored.
 */
export class Inbox extends DurableObject<Env> implements InboxMethods {
  readonly #store: InboxStore

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage)
    this.#store = new InboxStore(ctx.storage.sql)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }

  list({ limit, offset }: ListNotifications) {
    return { notifications: this.#store.page(limit, offset), ...this.#store.counts() }
  }

  counts() {
    return this.#store.counts()
  }

  publish(input: PublishNotification, rules: InboxRules, key?: PublicationKey): Published {
    const { now } = rules
    return this.#change((emit) => {
      const earlier = key && this.#store.findKey(key, now)
      if (earlier)
        return earlier.request_hash === key.request_hash
          ? { notification: JSON.parse(earlier.response) }
          : { error: 'IDEMPOTENCY_KEY_REUSED' }
      const { user_id, type, data } = input
      const notification: Notification = {
        // Not from `ctx.id.name`: an object that an alarm has woken after a restart does not know its name.
        id: newId(user_id),
        type,
        data,
        state: 'unread',
        created_at: now,
      }
      emit(this.#store.add(notification))
      if (key) {
        this.#store.recordKey(key, notification, now + KEY_LIFETIME_SECONDS)
        this.#scheduleAlarm(now + KEY_LIFETIME_SECONDS)
      }
      if (!this.#evictOldest(rules, EVICTED_PER_PUBLICATION, emit))
        this.#scheduleAlarm(Math.floor(Date.now() / 1_000))
      return { notification }
    }, rules)
  }

  markRead(ids: string[] | null): number {
    return this.#change((emit) => {
      const marked = this.#store.markRead(ids)
      if (marked) emit(marked.event)
      return marked?.count ?? 0
    })
  }

  remove(id: string): boolean {
    return this.#change((emit) => {
      const removed = this.#store.remove(id)
      if (removed) emit(removed)
      return removed !== undefined
    })
  }

  erase(mark: string, { sockets = false } = {}): number {
    const erased = this.ctx.storage.transactionSync(() => this.#store.erase(mark))
    if (sockets || erased > 0) closeAll(this.ctx)
    return erased
  }

  /** Accepts a socket of an authenticated caller. 429 for some time after the user's sockets have received too much. */
  override fetch(request: Request): Response {
    const seconds = rejectionSeconds(this.ctx.storage, Math.floor(Date.now() / 1_000))
    if (seconds > 0) return new Response(null, { status: 429, headers: { 'Retry-After': String(seconds) } })
    const { after, expires_at, protocol } = connectionOf(request)
    const { seq, unread } = this.#store.counts()
    const missed = after === null ? undefined : this.#store.since(after)
    const ready: Ready = missed
      ? { type: 'ready', seq: missed.seq, unread: missed.unread, data: { recovered: true } }
      : { type: 'ready', seq, unread, data: { recovered: false } }
    const client = acceptSocket(this.ctx, expires_at, [ready, ...(missed?.events ?? [])])
    this.#scheduleAlarm(expires_at)
    const headers = protocol === null ? undefined : { 'Sec-WebSocket-Protocol': protocol }
    return new Response(null, { status: 101, webSocket: client, headers })
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    rejectMessage(this.ctx, socket, message)
  }

  /** Completes the closing handshake, which the platform leaves to the object. */
  override webSocketClose(socket: WebSocket): void {
    socket.close(1000)
  }

  /** Closes sockets whose token has expired, and deletes expired keys and notifications. Schedules the next alarm. */
  override alarm(): void {
    this.#alarm = undefined
    const rules = this.ctx.storage.kv.get<InboxRules>('rules')
    const now = Math.floor(Date.now() / 1_000)
    closeExpired(this.ctx, now)
    const nextKey = this.#store.dropExpiredKeys(now)
    const isWithinLimit = this.#change((emit) => {
      if (!rules) return true
      const expired = this.#expire({ ...rules, now }, DELETED_PER_ALARM, emit)
      return this.#evictOldest(rules, DELETED_PER_ALARM - expired, emit)
    })
    const oldest = this.#store.oldest()
    const nextDeletion = isWithinLimit
      ? rules && oldest && oldest.created_at + rules.retention_days * DAY
      : now
    const due = [nextExpiry(this.ctx), nextKey, nextDeletion].filter((time) => time !== undefined)
    if (due.length > 0) this.#scheduleAlarm(Math.min(...due))
  }

  /** Deletes up to `max` notifications that are older than the retention. Returns how many. */
  #expire({ now, retention_days }: InboxRules, max: number, emit: Emit): number {
    for (let removed = 0; removed < max; removed++) {
      const oldest = this.#store.oldest()
      if (!oldest || oldest.created_at + retention_days * DAY > now) return removed
      const event = this.#store.remove(oldest.id)
      if (event) emit(event)
    }
    return max
  }

  /** Deletes the oldest notifications above the limit, up to `max`. Returns whether the inbox is within its limit. */
  #evictOldest({ max_notifications }: InboxRules, max: number, emit: Emit): boolean {
    let { total } = this.#store.counts()
    for (let removed = 0; removed < max && total > max_notifications; removed++, total--) {
      const oldest = this.#store.oldest()
      const event = oldest && this.#store.remove(oldest.id)
      if (event) emit(event)
    }
    return total <= max_notifications
  }

  /** Runs a change in one transaction, then sends its events to all sockets, in order. */
  #change<Answer>(change: (emit: Emit) => Answer, rules?: InboxRules): Answer {
    const events: InboxEvent[] = []
    const answer = this.ctx.storage.transactionSync(() => {
      const answer = change((event) => events.push(event))
      if (rules && events.length > 0) this.#storeRules(rules)
      return answer
    })
    deliver(this.ctx, events)
    return answer
  }

  /** Stores the rules, because `alarm()` gets no arguments. Schedules the alarm for the oldest notification. */
  #storeRules(rules: InboxRules): void {
    const { retention_days, max_notifications } = rules
    const stored = this.ctx.storage.kv.get<InboxRules>('rules')
    if (stored?.retention_days !== retention_days || stored.max_notifications !== max_notifications)
      this.ctx.storage.kv.put('rules', rules)
    const oldest = this.#store.oldest()
    if (oldest) this.#scheduleAlarm(oldest.created_at + retention_days * DAY)
  }

  /** When the next alarm is, in Unix seconds; undefined when this instance does not know. */
  #alarm: number | undefined

  #scheduleAlarm(time: number): void {
    if (this.#alarm !== undefined && this.#alarm <= time) return
    this.#alarm = time
    void this.#setAlarm(time * 1_000)
  }

  async #setAlarm(time_ms: number): Promise<void> {
    try {
      const set_ms = await this.ctx.storage.getAlarm()
      if (set_ms === null || set_ms > time_ms) await this.ctx.storage.setAlarm(time_ms)
    } catch (error) {
      this.#alarm = undefined // The next call tries again.
      console.error(JSON.stringify({ message: 'the alarm was not set', error: String(error) }))
    }
  }
}

/** What `connect.ts` sends in headers: a socket cannot be a result of an RPC call. */
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

import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../../platform/config/env.ts'
import { KEY_LIFETIME_SECONDS } from '../../platform/db/idempotency.ts'
import { Alarm, migrate } from '../../platform/lib/durable-object.ts'
import { DAY } from '../../platform/lib/units.ts'
import type { Announcements } from '../announcements/row.ts'
import type { InboxEvent, Ready } from './messages.ts'
import { steps } from './migrations.ts'
import { Outbox } from './outbox.ts'
import type {
  Announced,
  InboxCounts,
  InboxMethods,
  InboxRules,
  Publication,
  PublicationKey,
  Published,
  SyncState,
} from './rpc.ts'
import type { ListNotifications, Notification, NotificationSelection } from './schema.ts'
import {
  acceptSocket,
  closeAll,
  closeExpired,
  deliver,
  isConnected,
  nextExpiry,
  rejectionSeconds,
  rejectMessage,
} from './sockets.ts'
import { InboxStore } from './store.ts'

/** The most notifications that one alarm deletes. The next alarm continues. */
const DELETED_PER_ALARM = 500
/** The most notifications above the limit that a publication deletes; if it adds more, as many. The alarm deletes the others. */
const EVICTED_PER_PUBLICATION = 4

/** The rules that `alarm()` uses. */
const ruleNames = ['retention_days', 'max_notifications', 'reports_undelivered'] as const

/** Sends an event to all sockets after the change. */
type Emit = (event: InboxEvent) => void
/** Schedules the alarm for this time at the latest, in Unix seconds; undefined schedules nothing. */
type Due = (time: number | undefined) => void

/**
 * One user's notifications and sockets (docs/architecture.md#writing-without-races). A method awaits nothing between
 * two accesses to the storage, so calls do not interleave. The platform holds back what an object sends until its
 * writes are stored.
 */
export class Inbox extends DurableObject<Env> implements InboxMethods {
  readonly #store: InboxStore
  readonly #outbox: Outbox
  readonly #alarm: Alarm
  /** The stored rules; undefined until this instance has read them. */
  #rules: InboxRules | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, steps)
    this.#store = new InboxStore(ctx.storage)
    this.#outbox = new Outbox(ctx.storage, env.EVENTS)
    this.#alarm = new Alarm(ctx)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }

  list(query: ListNotifications, announced?: Announced) {
    return { notifications: this.#store.page(query), ...this.counts(announced) }
  }

  counts(announced?: Announced): SyncState & InboxCounts {
    if (announced?.opens) this.#store.open()
    const counts = this.#store.counts()
    return announced && this.#store.isBehind(announced) ? { ...counts, is_behind: true } : counts
  }

  publish(input: Publication, rules: InboxRules, key?: PublicationKey): Published {
    const { now } = rules
    const { user_id, type, data, expires_at, sender_id } = input
    const time = Math.floor(Date.now() / 1_000)
    let isUndelivered = false
    const published = this.#change((emit, due): Published => {
      const earlier = key && this.#store.keys.find(key, now)
      if (earlier)
        return earlier.request_hash === key.request_hash
          ? { notification: JSON.parse(earlier.response) }
          : { error: 'IDEMPOTENCY_KEY_REUSED' }
      if (sender_id !== undefined && this.#store.mutes.has(sender_id)) return { error: 'MUTED_BY_USER' }
      if (key?.bounds && !this.#store.isWithin(key.bounds, key.publisher, now))
        return { error: 'OUT_OF_BOUNDS' }
      // The user id is not `ctx.id.name`: an object that an alarm has woken after a restart does not know its name.
      const event = this.#store.add({ type, data, state: 'unread', created_at: now, expires_at }, user_id)
      emit(event)
      due(expires_at)
      if (key) {
        this.#store.keys.record(key, event.data, now + KEY_LIFETIME_SECONDS)
        due(now + KEY_LIFETIME_SECONDS)
      }
      if (rules.reports_undelivered && !isConnected(this.ctx, time)) {
        isUndelivered = true
        this.#outbox.add(user_id, event.data)
        due(this.#outbox.retryTime(time))
      }
      this.#hold(rules, 1, emit, due)
      return { notification: event.data }
    })
    if (isUndelivered) this.ctx.waitUntil(this.#outbox.send())
    return published
  }

  signal(notification: Notification, sender_id?: string): boolean {
    const isMuted = sender_id !== undefined && this.#store.mutes.has(sender_id)
    if (!isMuted) deliver(this.ctx, [{ type: 'signal', data: notification }])
    return isMuted
  }

  setMutes(version: string, user_ids: string[]): void {
    this.#store.open()
    this.#store.transaction(() => this.#store.mutes.replace(version, user_ids))
  }

  mutes() {
    return this.#store.mutes.read()
  }

  sync(list: Announcements, user_id: string, rules: InboxRules): void {
    this.#change((emit, due) => {
      const events = this.#store.sync(list, user_id, rules.now)
      for (const event of events) emit(event)
      const added = events.filter(({ type }) => type === 'notification').length
      if (added === 0) return
      for (const { expires_at } of list.announcements) due(expires_at)
      this.#hold(rules, added, emit, due)
    })
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

  removeMany(selection: NotificationSelection): number {
    return this.#change((emit) => {
      const { count, events } = this.#store.removeMany(selection)
      for (const event of events) emit(event)
      return count
    })
  }

  erase(erasure_id: string, { sockets = false } = {}): number {
    const erased = this.#store.transaction(() => this.#store.erase(erasure_id))
    if (sockets || erased > 0) closeAll(this.ctx)
    return erased
  }

  /**
   * Accepts a socket of an authenticated caller. Answers 429 for a minute after the user's sockets have received too much, and
   * 409 when the inbox has to sync announcements first.
   */
  override fetch(request: Request): Response {
    const seconds = rejectionSeconds(this.ctx.storage, Math.floor(Date.now() / 1_000))
    if (seconds > 0) return new Response(null, { status: 429, headers: { 'Retry-After': String(seconds) } })
    const { after, expires_at, protocol, announced } = connectionOf(request)
    if (announced.opens) this.#store.open()
    if (this.#store.isBehind(announced)) return new Response(null, { status: 409 })
    const { seq, unread } = this.#store.counts()
    const missed = after === null ? undefined : this.#store.since(after)
    const ready: Ready = missed
      ? { type: 'ready', seq: missed.seq, unread: missed.unread, data: { recovered: true } }
      : { type: 'ready', seq, unread, data: { recovered: false } }
    const client = acceptSocket(this.ctx, expires_at, [ready, ...(missed?.events ?? [])])
    this.#alarm.schedule(expires_at)
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

  /**
   * Closes sockets whose token has expired, deletes expired keys and notifications, sends waiting events, and schedules the
   * next alarm.
   */
  override async alarm(): Promise<void> {
    this.#alarm.begin()
    const rules = this.#storedRules()
    const now = Math.floor(Date.now() / 1_000)
    closeExpired(this.ctx, now)
    const nextKeys = this.#store.keys.dropExpired(now)
    const isWithinLimit = this.#change((emit) => {
      if (!rules) return true
      const expired = this.#store.removeOldest(DELETED_PER_ALARM, now - rules.retention_days * DAY)
      const ended = this.#store.removeExpired(DELETED_PER_ALARM - expired.length, now)
      for (const event of [...expired, ...ended]) emit(event)
      return this.#evict(rules, DELETED_PER_ALARM - expired.length - ended.length, emit)
    })
    const due = [
      nextExpiry(this.ctx),
      nextKeys,
      isWithinLimit ? rules && this.#nextExpiration(rules) : now,
      this.#store.nextExpiry(),
      rules?.reports_undelivered ? this.#outbox.retryTime(now) : undefined,
    ].filter((time) => time !== undefined)
    if (due.length > 0) this.#alarm.schedule(Math.min(...due))
    if (rules?.reports_undelivered) await this.#outbox.send()
  }

  /** Deletes notifications above the limit after `added` new ones, and sets the alarm for the rest and for aged ones. */
  #hold(rules: InboxRules, added: number, emit: Emit, due: Due): void {
    if (!this.#evict(rules, Math.max(EVICTED_PER_PUBLICATION, added), emit))
      due(Math.floor(Date.now() / 1_000))
    // In all other cases the alarm is already set for the expiry of the oldest notification, or earlier.
    if (this.#keepRules(rules) || !this.#alarm.isSet || this.#store.counts().total <= added)
      due(this.#nextExpiration(rules))
  }

  /** When the oldest notification expires, in Unix seconds; undefined when there is none. */
  #nextExpiration({ retention_days }: InboxRules): number | undefined {
    const oldest = this.#store.oldestTime()
    return oldest === undefined ? undefined : oldest + retention_days * DAY
  }

  /** Deletes the oldest notifications above the limit, up to `max`. Returns whether the inbox is within its limit. */
  #evict({ max_notifications }: InboxRules, max: number, emit: Emit): boolean {
    const surplus = this.#store.counts().total - max_notifications
    if (surplus <= 0) return true
    for (const event of this.#store.removeOldest(Math.min(max, surplus))) emit(event)
    return surplus <= max
  }

  /**
   * Runs a change in one transaction, sets the alarm for the earliest time that is due, then sends the change's events to
   * all sockets, in order.
   */
  #change<Answer>(change: (emit: Emit, due: Due) => Answer): Answer {
    const events: InboxEvent[] = []
    let next = Number.POSITIVE_INFINITY
    const due = (time: number | undefined) => {
      if (time !== undefined) next = Math.min(next, time)
    }
    const answer = this.#changed(() => change((event) => events.push(event), due))
    if (next < Number.POSITIVE_INFINITY) this.#alarm.schedule(next)
    if (events.length > 0) deliver(this.ctx, events)
    return answer
  }

  /** Runs a change in a transaction. A failed change may have set `#rules` without storing them, so they are read again. */
  #changed<Answer>(change: () => Answer): Answer {
    try {
      return this.#store.transaction(change)
    } catch (error) {
      this.#rules = undefined
      throw error
    }
  }

  #storedRules(): InboxRules | undefined {
    this.#rules ??= this.ctx.storage.kv.get<InboxRules>('rules')
    return this.#rules
  }

  /** Stores the rules if they have changed, because `alarm()` gets no arguments. Returns whether they have. */
  #keepRules(rules: InboxRules): boolean {
    const stored = this.#storedRules()
    if (stored && ruleNames.every((name) => stored[name] === rules[name])) return false
    this.ctx.storage.kv.put('rules', rules)
    this.#rules = rules
    return true
  }
}

/** The headers that `connect.ts` sends. It calls `fetch`, because RPC can't return a socket. */
function connectionOf({ headers }: Request): {
  after: number | null
  expires_at: number
  protocol: string | null
  announced: Announced
} {
  const after = headers.get('X-After')
  return {
    after: after === null ? null : Number(after),
    expires_at: Number(headers.get('X-Expires-At')),
    protocol: headers.get('X-Protocol'),
    announced: {
      opens: headers.has('X-Opens'),
      version: Number(headers.get('X-Announced-Version')),
      latest: Number(headers.get('X-Announced-Latest')),
    },
  }
}

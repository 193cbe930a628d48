import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect } from 'vitest'
import type { Inbox } from '../../src/features/notifications/inbox.ts'
import type { InboxEvent } from '../../src/features/notifications/messages.ts'
import type { InboxRules, PublicationKey } from '../../src/features/notifications/rpc.ts'
import type { Notification } from '../../src/features/notifications/schema.ts'
import { InboxStore } from '../../src/features/notifications/store.ts'
import type { Message } from '../../src/platform/config/message.ts'
import { newUserId } from './ids.ts'

/** Common actions of tests that call an inbox directly. */

export const DAY = 24 * 60 * 60
export const input = {
  user_id: 'ada',
  type: 'friend_request',
  data: { from_user_id: 7, from_display_name: 'Bob' },
} as const
export const everything = { limit: 100, offset: 0 }

export type Stub = DurableObjectStub<Inbox>
/** The object itself, for `runInDurableObject`. */
export type InboxObject = Inbox
/** An event as an inbox puts it into the queue. */
export type QueuedEvent = Extract<Message, { kind: 'notification' }>['event']

export const newInbox = (): Stub => env.INBOX.getByName(newUserId())
export const now = () => Math.floor(Date.now() / 1_000)
export const rulesAt = (time: number, different: Partial<InboxRules> = {}): InboxRules => ({
  now: time,
  retention_days: 90,
  max_notifications: 10_000,
  ...different,
})
export const keyNamed = (key: string): PublicationKey => ({ publisher: 'social', key, request_hash: 'hash' })

export async function publish(
  inbox: Stub,
  rules = rulesAt(now()),
  key?: PublicationKey,
): Promise<Notification> {
  const { notification } = await inbox.publish(input, rules, key)
  if (!notification) throw new Error('the key is another’s')
  return notification
}

/** `count` notifications, oldest first, published by one call. */
export function publishSome(inbox: Stub, count: number, rules = rulesAt(now())): Promise<Notification[]> {
  return runInDurableObject(inbox, (object: Inbox) =>
    Array.from({ length: count }, () => {
      const { notification } = object.publish(input, rules)
      if (!notification) throw new Error('nothing was published')
      return notification
    }),
  )
}

/** Inserts `count` notifications as rows, and evicts the object, because an instance caches its counters. */
export async function fill(
  inbox: Stub,
  count: number,
  like: Notification & { expires_at?: number },
): Promise<void> {
  await runInDurableObject(inbox, (_, { storage }) => {
    const store = new InboxStore(storage)
    store.transaction(() => {
      for (let i = 0; i < count; i++) store.add(like, 'ada')
    })
  })
  await evictDurableObject(inbox)
}

/** The events after `seq`; undefined when some of them have been removed. */
export const eventsSince = (inbox: Stub, seq: number): Promise<InboxEvent[] | undefined> =>
  runInDurableObject(inbox, (_, { storage }) => new InboxStore(storage).since(seq)?.events)

export const countOf = (inbox: Stub, rows: string): Promise<number> =>
  runInDurableObject(inbox, (_, { storage }) =>
    storage.sql.exec<{ count: number }>(`SELECT count(*) AS count FROM ${rows}`).one(),
  ).then(({ count }) => count)

/** The time of the alarm in Unix seconds; null when none is set. */
export const alarmOf = (inbox: Stub): Promise<number | null> =>
  runInDurableObject(inbox, async (_, { storage }) => {
    const time = await storage.getAlarm()
    return time === null ? null : time / 1_000
  })

/** Runs the alarm if it is set. A due alarm may have run by itself. */
export const ring = runDurableObjectAlarm

/** A device that applies an inbox's events, one after another, and knows nothing else of the inbox. */
export class Replica {
  readonly states = new Map<string, Notification['state']>()
  seq = 0
  /** How many notifications were marked as read. */
  marked = 0

  apply(event: InboxEvent): void {
    expect(event.seq, 'there is no gap').toBe(this.seq + 1)
    this.seq = event.seq
    if (event.type === 'notification') this.#add(event.data)
    else if (event.type === 'notifications_read') this.#read(event.data.notification_ids)
    else if (event.type === 'notifications_deleted') this.#deleteMany(event.data.notification_ids)
    else expect(this.states.delete(event.data.notification_id), 'what is deleted was there').toBe(true)
    expect(event.unread, `unread at ${event.seq}`).toBe(this.unread)
  }

  #add({ id, state }: Notification): void {
    expect(this.states.has(id), 'each comes once').toBe(false)
    expect(state).toBe('unread')
    this.states.set(id, state)
  }

  #deleteMany(ids: string[] | null): void {
    const deleted = ids ?? [...this.states.keys()]
    expect(deleted.length, 'something was deleted').toBeGreaterThan(0)
    for (const id of deleted) expect(this.states.delete(id), 'what is deleted was there').toBe(true)
  }

  #read(ids: string[] | null): void {
    const changed = ids ?? [...this.states.keys()].filter((id) => this.states.get(id) === 'unread')
    expect(changed.length, 'something has changed').toBeGreaterThan(0)
    for (const id of changed) {
      expect(this.states.get(id), 'a notification marked as read was unread').toBe('unread')
      this.states.set(id, 'read')
    }
    this.marked += changed.length
  }

  get unread(): number {
    return [...this.states.values()].filter((state) => state === 'unread').length
  }
}

/** Applies the missing events to a device, and compares it with the inbox's rows, counters and a recount. */
export async function expectAgreed(inbox: Stub, replica: Replica): Promise<void> {
  const [events, rows, standing] = await runInDurableObject(inbox, (_, { storage }) => {
    const store = new InboxStore(storage)
    const found = storage.sql.exec<{ id: string; state: Notification['state'] }>(
      'SELECT id, state FROM notifications ORDER BY seq',
    )
    return [store.since(replica.seq)?.events, found.toArray(), store.counts()] as const
  })
  if (!events) throw new Error('the device was away for too long')
  for (const event of events) replica.apply(event)
  const unread = rows.filter(({ state }) => state === 'unread').length
  expect(standing, 'counters equal a recount').toEqual({ seq: replica.seq, total: rows.length, unread })
  expect(rows.map(({ id, state }) => [id, state])).toEqual([...replica.states])
}

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { Inbox } from '../../src/features/notifications/inbox.ts'
import { steps } from '../../src/features/notifications/migrations.ts'
import { InboxStore } from '../../src/features/notifications/store.ts'
import { createTables, migrate } from '../../src/platform/lib/durable-object.ts'
import {
  alarmOf,
  countOf,
  DAY,
  eventsSince,
  everything,
  expectAgreed,
  fill,
  input,
  keyNamed,
  newInbox,
  now,
  publish,
  publishSome,
  Replica,
  ring,
  rulesAt,
  type Stub,
} from '../support/inbox.ts'
import { chances } from '../support/race.ts'

const KEPT_EVENTS = 1_000

describe('an inbox', () => {
  it('counts each notification once when two devices read all at the same time', async () => {
    await chances({ count: 14 }, async ({ seed }) => {
      const inbox = newInbox()
      const unread = 1 + (seed % 7)
      await publishSome(inbox, unread)
      const marked = await Promise.all([inbox.markRead(null), inbox.markRead(null)])
      expect(marked.sort()).toEqual([0, unread])
      expect(await eventsSince(inbox, unread)).toEqual([
        { type: 'notifications_read', seq: unread + 1, unread: 0, data: { notification_ids: null } },
      ])
    })
  })

  it('counts each notification once when one device reads some and another all', async () => {
    await chances({ count: 14 }, async ({ seed }) => {
      const inbox = newInbox()
      const ids = (await publishSome(inbox, 4)).map(({ id }) => id)
      const some = () => inbox.markRead(ids.slice(0, 2))
      const all = () => inbox.markRead(null)
      const marked = await Promise.all(seed % 2 === 0 ? [some(), all()] : [all(), some()])
      expect(marked).toEqual(seed % 2 === 0 ? [2, 2] : [4, 0])
      expect(await inbox.counts()).toMatchObject({ total: 4, unread: 0 })
    })
  })

  it('lowers the unread count once for a deleted unread notification, and not for a read one', async () => {
    const inbox = newInbox()
    const [one, two] = await publishSome(inbox, 3)
    const removed = await Promise.all([inbox.remove(one?.id ?? ''), inbox.remove(one?.id ?? '')])
    expect(removed.sort()).toEqual([false, true])
    expect(await inbox.counts()).toEqual({ seq: 4, total: 2, unread: 2 })
    await inbox.markRead([two?.id ?? ''])
    await inbox.remove(two?.id ?? '')
    expect(await inbox.counts()).toEqual({ seq: 6, total: 1, unread: 1 })
    expect((await eventsSince(inbox, 3))?.map(({ type, unread }) => [type, unread])).toEqual([
      ['notification_deleted', 2],
      ['notifications_read', 1],
      ['notification_deleted', 1],
    ])
  })

  it('sends the ids that changed, not those of the request', async () => {
    const inbox = newInbox()
    const [one, two, three] = (await publishSome(inbox, 3)).map(({ id }) => id)
    await inbox.markRead([two ?? ''])
    await inbox.markRead([one ?? '', two ?? '', 'unknown', one ?? ''])
    expect((await eventsSince(inbox, 3))?.map(({ data, unread }) => [data, unread])).toEqual([
      [{ notification_ids: [two] }, 2],
      [{ notification_ids: [one] }, 1],
    ])
    await inbox.markRead([three ?? ''])
    expect(await inbox.markRead(null)).toBe(0)
    expect((await inbox.counts()).seq, 'what changes nothing is no event').toBe(6)
  })

  it('sends a notification as it was when it came, with the counters of that moment', async () => {
    const inbox = newInbox()
    const published = await publishSome(inbox, 2)
    await inbox.markRead(null)
    expect((await eventsSince(inbox, 0))?.slice(0, 2)).toEqual([
      { type: 'notification', seq: 1, unread: 1, data: published[0] },
      { type: 'notification', seq: 2, unread: 2, data: published[1] },
    ])
  })
})

describe('the size limit', () => {
  it('removes the oldest after the new one has come, and sends both changes', async () => {
    const inbox = newInbox()
    const small = rulesAt(now(), { max_notifications: 3 })
    const [oldest] = await publishSome(inbox, 3, small)
    const newest = await publish(inbox, small)
    expect(await eventsSince(inbox, 3)).toEqual([
      { type: 'notification', seq: 4, unread: 4, data: newest },
      { type: 'notification_deleted', seq: 5, unread: 3, data: { notification_id: oldest?.id } },
    ])
    expect(await inbox.counts()).toEqual({ seq: 5, total: 3, unread: 3 })
  })

  it('removes all notifications above a lowered limit', async () => {
    const inbox = newInbox()
    const published = await publishSome(inbox, 5)
    const newest = await publish(inbox, rulesAt(now(), { max_notifications: 2 }))
    const { notifications, total } = await inbox.list(everything)
    expect([notifications, total]).toEqual([[newest, published[4]], 2])
    const device = new Replica()
    await expectAgreed(inbox, device)
    expect(device.seq).toBe(6 + 4)
  })

  it('removes a few at a publication and 500 at an alarm when the limit was lowered by many', async () => {
    const inbox = newInbox()
    const first = await publish(inbox)
    const lowered = rulesAt(now(), { max_notifications: 100 })
    await fill(inbox, 1_299, first)
    const totals = await runInDurableObject(inbox, (instance: Inbox, { storage }) => {
      const totalAfter = (work: () => unknown) => {
        work()
        return new InboxStore(storage).counts().total
      }
      const publishing = () => totalAfter(() => instance.publish(input, lowered))
      const ringing = () => totalAfter(() => instance.alarm())
      return [publishing(), publishing(), ringing(), ringing(), ringing(), publishing()]
    })
    expect(totals).toEqual([1_297, 1_294, 794, 294, 100, 100])
    const { notifications } = await inbox.list(everything)
    expect(notifications).toHaveLength(100)
    expect(await countOf(inbox, 'notifications')).toBe(100)
  })

  it('is enforced by alarms after it was lowered, without any request', async () => {
    const inbox = newInbox()
    const first = await publish(inbox)
    await fill(inbox, 1_299, first)
    await publish(inbox, rulesAt(now(), { max_notifications: 100 }))
    await expect.poll(() => inbox.counts(), { timeout: 20_000 }).toMatchObject({ total: 100, unread: 100 })
  })

  it('removes no notification for a repeated idempotency key', async () => {
    const inbox = newInbox()
    const first = await publish(inbox, rulesAt(now()), keyNamed('a'))
    await publish(inbox)
    const again = await publish(inbox, rulesAt(now(), { max_notifications: 1 }), keyNamed('a'))
    expect([again, await inbox.counts()]).toEqual([first, { seq: 2, total: 2, unread: 2 }])
  })
})

describe('the alarm of an inbox', () => {
  it('removes notifications after the retention time, and sends the change as any other', async () => {
    const inbox = newInbox()
    const old = await publishSome(inbox, 3, rulesAt(now() - 90 * DAY))
    const young = await publish(inbox)
    await ring(inbox)
    await expect.poll(() => inbox.counts()).toEqual({ seq: 7, total: 1, unread: 1 })
    const { notifications } = await inbox.list(everything)
    expect(notifications).toEqual([young])
    const deletions = (await eventsSince(inbox, 0))?.filter(({ type }) => type === 'notification_deleted')
    expect(deletions?.map(({ data }) => data)).toEqual(old.map(({ id }) => ({ notification_id: id })))
    await expectAgreed(inbox, new Replica())
  })

  it('keeps a notification until a minute before the retention time ends', async () => {
    const inbox = newInbox()
    await publishSome(inbox, 2, rulesAt(now() - 90 * DAY + 60))
    await ring(inbox)
    await expect.poll(() => alarmOf(inbox)).toBeGreaterThan(now())
    expect(await inbox.counts()).toEqual({ seq: 2, total: 2, unread: 2 })
  })

  it('uses the retention time of the latest call', async () => {
    const inbox = newInbox()
    await publishSome(inbox, 2, rulesAt(now() - 5 * DAY))
    await publish(inbox, rulesAt(now(), { retention_days: 2 }))
    await ring(inbox)
    await expect.poll(() => inbox.counts()).toMatchObject({ total: 1 })
  })

  it('rings again until all is removed when one alarm can’t remove all', async () => {
    const inbox = newInbox()
    const young = await publish(inbox)
    await fill(inbox, 1_200, { ...young, created_at: now() - 100 * DAY })
    await inbox.remove(young.id)
    await ring(inbox)
    await expect
      .poll(() => inbox.counts(), { timeout: 20_000 })
      .toMatchObject({ seq: 2_402, total: 0, unread: 0 })
    await expect.poll(() => alarmOf(inbox)).toBe(null)
  })

  it('deletes expired keys and no others', async () => {
    const inbox = newInbox()
    const time = now()
    await publish(inbox, rulesAt(time - DAY), keyNamed('old'))
    await publish(inbox, rulesAt(time), keyNamed('new'))
    await ring(inbox)
    await expect.poll(() => countOf(inbox, 'idempotency')).toBe(1)
    expect(await countOf(inbox, `idempotency WHERE key = 'new'`)).toBe(1)
    expect(await inbox.counts()).toEqual({ seq: 2, total: 2, unread: 2 })
    expect(await alarmOf(inbox)).toBe(time + DAY)
  })

  it('is not set while nothing expires', async () => {
    const inbox = newInbox()
    await inbox.list(everything)
    await inbox.markRead(null)
    await inbox.remove('unknown')
    expect(await alarmOf(inbox)).toBe(null)
  })

  it('is set for the retention of a notification that came without a key', async () => {
    const [inbox, time] = [newInbox(), now()]
    await publish(inbox, rulesAt(time, { retention_days: 30 }))
    expect(await alarmOf(inbox)).toBe(time + 30 * DAY)
    await publish(inbox, rulesAt(time + 60, { retention_days: 30 }))
    expect(await alarmOf(inbox), 'the first goes first').toBe(time + 30 * DAY)
  })

  it('is set for the nearest of retention, keys and tokens of sockets, and after it has rung for the next', async () => {
    const [inbox, time] = [newInbox(), now()]
    await publish(inbox, rulesAt(time))
    await publish(inbox, rulesAt(time), keyNamed('a'))
    expect(await alarmOf(inbox)).toBe(time + DAY)
    await publish(inbox, rulesAt(time + 60), keyNamed('b'))
    expect(await alarmOf(inbox), 'the first key goes first').toBe(time + DAY)
    const socket = await connect(inbox, time + 600)
    expect(await alarmOf(inbox)).toBe(time + 600)
    await ring(inbox)
    expect(await alarmOf(inbox), 'it rang too early: nothing was due').toBe(time + 600)
    socket.close()
    await runInDurableObject(inbox, (_, ctx) => {
      for (const other of ctx.getWebSockets()) other.close()
    })
    await ring(inbox)
    expect(await alarmOf(inbox)).toBe(time + DAY)
    await runInDurableObject(inbox, (_, { storage }) => {
      storage.sql.exec('DELETE FROM idempotency')
      storage.kv.delete('keys_due')
    })
    await ring(inbox)
    expect(await alarmOf(inbox)).toBe(time + 90 * DAY)
    for (const { id } of (await inbox.list(everything)).notifications) await inbox.remove(id)
    await ring(inbox)
    expect(await alarmOf(inbox)).toBe(null)
    await publish(inbox, rulesAt(time), keyNamed('c'))
    expect(await alarmOf(inbox)).toBe(time + DAY)
  })

  it('is set also by an object that has just started', async () => {
    const [inbox, time] = [newInbox(), now()]
    await publish(inbox, rulesAt(time))
    await evictDurableObject(inbox)
    await publish(inbox, rulesAt(time), keyNamed('a'))
    expect(await alarmOf(inbox)).toBe(time + DAY)
    await evictDurableObject(inbox)
    await publish(inbox, rulesAt(time + 60), keyNamed('b'))
    expect(await alarmOf(inbox), 'not put off').toBe(time + DAY)
  })
})

/** Opens a socket as the route does, for a token that expires then. */
async function connect(inbox: Stub, expires_at: number): Promise<WebSocket> {
  const headers = { Upgrade: 'websocket', 'X-Expires-At': String(expires_at) }
  const { webSocket } = await inbox.fetch('https://inbox/', { headers })
  if (!webSocket) throw new Error('there is no socket')
  webSocket.accept()
  return webSocket
}

describe('the events of an inbox', () => {
  it(`are kept up to ${KEPT_EVENTS}, of which a device can miss all and no more`, async () => {
    const inbox = newInbox()
    await publishSome(inbox, KEPT_EVENTS)
    expect(await eventsSince(inbox, 0)).toHaveLength(KEPT_EVENTS)
    await publishSome(inbox, 200)
    expect(await eventsSince(inbox, 199)).toBe(undefined)
    const events = (await eventsSince(inbox, 200)) ?? []
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: KEPT_EVENTS }, (_, i) => 201 + i))
    expect(events.map(({ unread }) => unread)).toEqual(events.map(({ seq }) => seq))
    expect(await countOf(inbox, 'events')).toBeLessThanOrEqual(KEPT_EVENTS + 1)
    expect(await eventsSince(inbox, 1_200)).toEqual([])
    expect(await eventsSince(inbox, 1_201), 'from the future').toBe(undefined)
  })

  it('are written in the transaction of their change: a failed change leaves neither', async () => {
    const inbox = newInbox()
    const [kept] = await publishSome(inbox, 2)
    const after = await runInDurableObject(inbox, (_, { storage }) => {
      const store = new InboxStore(storage)
      const change = () =>
        store.transaction(() => {
          store.remove(kept?.id ?? '')
          store.markRead(null)
          throw new Error('broken')
        })
      expect(change).toThrow('broken')
      return store.since(2)?.events
    })
    expect(after).toEqual([])
    expect(await inbox.counts()).toEqual({ seq: 2, total: 2, unread: 2 })
  })
})

describe('the schema of an inbox', () => {
  it('gets its missing steps once, and a newer version stays', async () => {
    const tables = await runInDurableObject(newInbox(), (_, { storage }) => {
      createTables(storage, steps)
      const released = steps.map(() => 'a step that was applied is not repeated')
      const further = [...released, 'CREATE TABLE added_later (column_of_it INTEGER) STRICT']
      migrate(storage, further)
      migrate(storage, further)
      migrate(storage, released)
      migrate(storage, further)
      return storage.sql
        .exec<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
        .toArray()
    })
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['notifications', 'added_later']))
  })
})

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createTables, migrate, steps } from '../../src/features/notifications/migrations.ts'
import type { Notification } from '../../src/features/notifications/schema.ts'
import { newId } from '../../src/platform/db/id.ts'
import {
  countOf,
  eventsSince,
  everything,
  expectAgreed,
  input,
  keyNamed,
  newInbox,
  now,
  publish,
  Replica,
  rulesAt,
  type Stub,
} from '../support/inbox.ts'
import { InboxStoreOfVersion1 } from '../support/inbox-of-version-1.ts'

const newNotification = (): Notification => ({
  id: newId('ada'),
  type: 'friend_request',
  data: input.data,
  state: 'unread',
  created_at: now(),
})

/** Makes an inbox as version 1 stored it, and lets the object start anew: it brings the tables to the latest version. */
async function stored(work: (store: InboxStoreOfVersion1) => void): Promise<Stub> {
  const inbox = newInbox()
  await runInDurableObject(inbox, (_, { storage }) => {
    storage.sql.exec(steps[0] ?? '')
    storage.kv.put('schema_version', 1)
    storage.transactionSync(() => work(new InboxStoreOfVersion1(storage.sql)))
  })
  await evictDurableObject(inbox)
  return inbox
}

/** Runs the code of version 1 on the inbox, as after `wrangler rollback`. */
async function rolledBack<Answer>(
  inbox: Stub,
  work: (store: InboxStoreOfVersion1) => Answer,
): Promise<Answer> {
  const answer = await runInDurableObject(inbox, (_, { storage }) =>
    storage.transactionSync(() => work(new InboxStoreOfVersion1(storage.sql))),
  )
  await evictDurableObject(inbox)
  return answer
}

describe('an inbox of version 1', () => {
  it('is read by this version: list, counters and every event', async () => {
    const made = Array.from({ length: 5 }, newNotification)
    const [first, second, third] = made.map(({ id }) => id)
    const before: unknown[] = []
    const inbox = await stored((store) => {
      for (const notification of made) store.add(notification)
      store.markRead([first ?? '', third ?? ''])
      store.remove(second ?? '')
      before.push(store.page(100, 0), store.counts(), store.since(0), store.since(4))
    })
    const [page, counts, all, some] = before
    const listed = await inbox.list(everything)
    expect(listed).toEqual({ notifications: page, ...Object(counts) })
    expect(await eventsSince(inbox, 0)).toEqual(Object(all).events)
    expect(await eventsSince(inbox, 4)).toEqual(Object(some).events)
    await expectAgreed(inbox, new Replica())
  })

  it('goes on: new notifications beside the old ones are read, deleted and replayed alike', async () => {
    const made = Array.from({ length: 4 }, newNotification)
    const inbox = await stored((store) => {
      for (const notification of made) store.add(notification)
    })
    const later = [await publish(inbox), await publish(inbox), await publish(inbox)]
    const [old, older] = made.map(({ id }) => id)
    const [new1, new2] = later.map(({ id }) => id)
    expect(await inbox.markRead([old ?? '', new1 ?? '', 'unknown', newId('ada')])).toBe(2)
    expect(await inbox.remove(older ?? '')).toBe(true)
    expect(await inbox.remove(new2 ?? '')).toBe(true)
    expect(await inbox.remove(older ?? '')).toBe(false)
    expect(await inbox.remove(new2 ?? '')).toBe(false)
    expect(await inbox.counts()).toEqual({ seq: 10, total: 5, unread: 3 })
    await expectAgreed(inbox, new Replica())
    expect(await inbox.markRead(null)).toBe(3)
    await expectAgreed(inbox, new Replica())
    expect((await eventsSince(inbox, 0))?.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  it('has the tables of an inbox that is made today', async () => {
    const shape = (inbox: Stub) =>
      runInDurableObject(inbox, (_, { storage: { sql } }) => {
        const names = sql
          .exec<{ name: string; type: string }>(
            `SELECT name, type FROM sqlite_schema WHERE name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name`,
          )
          .toArray()
        const columns = names
          .filter(({ type }) => type === 'table')
          .map(({ name }) =>
            sql
              .exec(`SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info('${name}')`)
              .toArray(),
          )
        return { names, columns }
      })
    const [old, today] = [await stored(() => {}), newInbox()]
    await runInDurableObject(today, (_, { storage }) => createTables(storage))
    expect(await shape(old)).toEqual(await shape(today))
    expect((await shape(today)).names.length).toBeGreaterThan(5)
  })

  it('is brought to the latest version in one transaction, or stays as it is', async () => {
    const inbox = newInbox()
    await runInDurableObject(inbox, (_, { storage }) => {
      storage.sql.exec(steps[0] ?? '')
      storage.kv.put('schema_version', 1)
      storage.transactionSync(() => new InboxStoreOfVersion1(storage.sql).add(newNotification()))
      const broken = [...steps.slice(0, -1), `${steps.at(-1)}; SELECT * FROM unknown`]
      expect(() => migrate(storage, broken)).toThrow('no such table: unknown')
      expect(storage.kv.get('schema_version')).toBe(1)
      expect(new InboxStoreOfVersion1(storage.sql).page(10, 0)).toHaveLength(1)
    })
    await evictDurableObject(inbox)
    await expectAgreed(inbox, new Replica())
  })
})

describe('the Worker of version 1 on an inbox of this version, after a rollback', () => {
  it('lists, publishes, reads and deletes; the seq goes on, and a device that reconnects lists again', async () => {
    const inbox = newInbox()
    const made = [await publish(inbox), await publish(inbox), await publish(inbox)]
    const ids = made.map(({ id }) => id)
    await inbox.markRead([ids[0] ?? ''])
    const added = newNotification()
    await rolledBack(inbox, (store) => {
      expect(store.counts()).toEqual({ seq: 4, total: 3, unread: 2 })
      expect(store.page(10, 0).map(({ id, state }) => [id, state])).toEqual([
        [ids[2], 'unread'],
        [ids[1], 'unread'],
        [ids[0], 'read'],
      ])
      expect(store.since(0), 'it does not know where publications are').toBe(undefined)
      expect(store.since(3)?.events.map(({ seq }) => seq)).toEqual(undefined)
      expect(store.add(added).seq).toBe(5)
      expect(store.remove(ids[1] ?? '')?.seq).toBe(6)
      expect(store.markRead([ids[2] ?? ''])?.count).toBe(1)
      expect(store.findKey(keyNamed('a'), now())).toBe(undefined)
      store.recordKey(keyNamed('a'), added, now() + 60)
    })
    // And this version again.
    expect(await inbox.counts()).toEqual({ seq: 7, total: 3, unread: 1 })
    expect(await publish(inbox, rulesAt(now()), keyNamed('a')), 'its key holds').toEqual(added)
    expect((await eventsSince(inbox, 4))?.map(({ type, seq }) => [type, seq])).toEqual([
      ['notification', 5],
      ['notification_deleted', 6],
      ['notifications_read', 7],
    ])
    expect(await eventsSince(inbox, 1), 'the second went without a trace of its coming').toBe(undefined)
    expect(await inbox.markRead([added.id])).toBe(1)
    expect(await inbox.remove(added.id)).toBe(true)
    expect(await inbox.counts()).toEqual({ seq: 9, total: 2, unread: 0 })
  })

  it('marks all as read, and erases', async () => {
    const inbox = newInbox()
    for (let i = 0; i < 3; i++) await publish(inbox)
    await inbox.markRead(null)
    await publish(inbox)
    expect(await rolledBack(inbox, (store) => store.markRead(null)?.count)).toBe(1)
    await publish(inbox)
    expect(await inbox.markRead(null)).toBe(1)
    expect(await rolledBack(inbox, (store) => store.erase('mark'))).toBeGreaterThan(0)
    expect(await inbox.counts()).toEqual({ seq: 9, total: 0, unread: 0 })
    await publish(inbox)
    expect((await eventsSince(inbox, 9))?.map(({ seq }) => seq)).toEqual([10])
    expect(await countOf(inbox, 'notifications')).toBe(1)
  })
})

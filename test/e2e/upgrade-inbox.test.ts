import { describe, expect, it } from 'vitest'
import { isShallow } from '../../scripts/upgrade/release.ts'
import { previous, type Store, today } from './upgrade/inbox-releases.ts'
import { ObjectStorage } from './upgrade/object-storage.ts'

const now = Math.floor(Date.now() / 1_000)
const friend = (name: string) =>
  ({
    type: 'friend_request',
    data: { from_user_id: 7, from_display_name: name },
    state: 'unread',
    created_at: now,
  }) as const
const key = { publisher: 'social', key: 'key', request_hash: 'hash' }
const everything = { limit: 100, offset: 0 }

/** An inbox with every kind of row, as the release leaves it: read, unread, deleted and erased notifications, a key and an outbox. */
function written(storage: ObjectStorage, open: (storage: ObjectStorage) => Store) {
  const store = open(storage)
  const change = <Answer>(work: () => Answer) => store.transaction(work)
  const add = (name: string) => change(() => store.add(friend(name), 'ada').data)
  add('erased')
  change(() => store.erase('00000000-0000-7000-8000-000000000001'))
  const base = store.counts().seq
  const [one, two, three] = [add('one'), add('two'), add('three')]
  change(() => store.markRead([one.id]))
  change(() => store.remove(two.id))
  change(() => store.markRead(null))
  const four = add('four')
  change(() => store.keys.record(key, four, now + 60))
  storage.sql.exec(`INSERT INTO outbox (id, event) VALUES ('event', '{}')`)
  storage.kv.put('rules', { now, retention_days: 90, max_notifications: 10_000 })
  return { base, one, three, four, events: store.since(base), counts: store.counts() }
}

describe.skipIf(isShallow())('an inbox of the previous release', () => {
  it('keeps everything, replays its events, and takes every operation of today', async () => {
    const storage = new ObjectStorage()
    const { base, one, three, four, events, counts } = written(storage, await previous())
    const store = (await today())(storage)
    const change = <Answer>(work: () => Answer) => store.transaction(work)
    expect(storage.kv.get('schema_version')).toBe(2)
    expect(store.counts()).toEqual(counts)
    expect(store.page(everything).map(({ id, state }) => [id, state])).toEqual([
      [four.id, 'unread'],
      [three.id, 'read'],
      [one.id, 'read'],
    ])
    expect(store.page({ ...everything, state: 'unread' })).toEqual([four])
    expect(events?.events).toHaveLength(7)
    expect(store.since(base)).toEqual(events)
    for (let seq = base; seq <= counts.seq; seq++)
      expect(store.since(seq)?.events).toEqual(events?.events.filter((event) => event.seq > seq))
    expect(store.since(base - 1), 'an erasure stays a gap').toBeUndefined()
    expect(store.keys.find(key, now)).toMatchObject({ request_hash: 'hash', response: JSON.stringify(four) })
    expect(storage.sql.exec('SELECT id FROM outbox').toArray()).toEqual([{ id: 'event' }])
    expect(storage.kv.get('rules')).toMatchObject({ retention_days: 90 })
    expect(
      change(() => store.erase('00000000-0000-7000-8000-000000000001')),
      'the same erasure',
    ).toBe(0)

    const announcements = [{ number: 5, type: 'studio.news', data: {}, expires_at: now + 60 }]
    expect(store.isBehind({ version: 5, latest: 5 })).toBe(true)
    expect(change(() => store.takeIn({ version: 5, announcements }, 'ada', now))).toHaveLength(1)
    const gift = {
      ...friend('gift'),
      type: 'shop.gift',
      data: { gift_id: 'a' },
      expires_at: now + 30,
    } as const
    change(() => store.add(gift, 'ada'))
    expect(store.nextExpiry()).toBe(now + 30)
    expect(change(() => store.removeExpired(10, now + 30))).toHaveLength(1)
    expect(change(() => store.takeIn({ version: 6, announcements: [] }, 'ada', now))).toHaveLength(1)
    expect(change(() => store.removeMany('read'))).toMatchObject({ count: 2 })
    expect(change(() => store.removeMany('all'))).toMatchObject({ count: 1 })
    expect(store.counts()).toEqual({ seq: counts.seq + 6, total: 0, unread: 0 })
    const all = store.since(base)?.events ?? []
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => base + 1 + index))
    expect(all.slice(0, 7)).toEqual(events?.events)
  })

  it('is read and changed by the code of that release after today’s, and taken over again', async () => {
    const storage = new ObjectStorage()
    const [before, after] = [await previous(), await today()]
    const { three, four } = written(storage, before)
    const store = after(storage)
    const change = <Answer>(work: () => Answer) => store.transaction(work)
    const announcements = [{ number: 5, type: 'studio.news', data: {}, expires_at: now + 60 }]
    const [news] = change(() => store.takeIn({ version: 5, announcements }, 'ada', now))
    change(() => store.removeMany({ notification_ids: [three.id] }))
    const { seq, total } = store.counts()

    const old = before(storage)
    expect(old.counts()).toEqual(store.counts())
    expect(old.since(seq - 1)?.events).toMatchObject([{ type: 'notifications_deleted', seq }])
    const five = old.transaction(() => old.add(friend('five'), 'ada').data)
    old.transaction(() => old.markRead([four.id]))
    old.transaction(() => old.remove(five.id))
    expect(old.since(seq)?.events.map((event) => event.seq)).toEqual([seq + 1, seq + 2, seq + 3])
    expect(old.transaction(() => old.removeOldest(1))).toHaveLength(1)

    const again = after(storage)
    expect(again.counts()).toEqual({ seq: seq + 4, total: total - 1, unread: 1 })
    expect(again.page(everything).map(({ id }) => id)).toEqual([
      news && 'id' in news.data ? news.data.id : '',
      four.id,
    ])
    expect(again.isBehind({ version: 6, latest: 0 }), 'it still knows its announcements').toBe(true)
    expect(again.transaction(() => again.removeExpired(10, now + 60))).toHaveLength(1)
    expect(again.since(seq)?.events).toHaveLength(5)
  })
})

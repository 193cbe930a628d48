import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Inbox } from '../../src/features/notifications/inbox.ts'
import { steps } from '../../src/features/notifications/migrations.ts'
import { newId } from '../../src/platform/db/id.ts'
import { createTables } from '../../src/platform/lib/durable-object.ts'
import { newUserId } from '../support/ids.ts'
import { data } from '../support/notifications.ts'

interface Rows {
  read: number
  written: number
}

const SIZES = [10, 1_000, 10_000]
const now = Math.floor(Date.now() / 1_000)
const rules = { now, retention_days: 90, max_notifications: 1_000_000 }
/** An id that ends in the seq of the notification (src/features/notifications/rows.ts). */
const numbered = (number: number) => `00000000-0000-7000-9000-${number.toString(16).padStart(12, '0')}`

/** A user's inbox with `size` unread notifications, numbered up to `size`, and the largest number of events. */
async function inboxOf(size: number, expires_at: number | null = null): Promise<DurableObjectStub<Inbox>> {
  const inbox = env.INBOX.getByName(newUserId())
  await runInDurableObject(inbox, (_, { storage }) => {
    createTables(storage, steps)
    const { sql } = storage
    const seqs = (from: number, to: number) =>
      `WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${to})`
    sql.exec(
      `${seqs(1, size)} INSERT INTO notifications (seq, id, type, data, state, created_at, unread, expires_at)
      SELECT n, printf('00000000-0000-7000-9000-%012x', n), 'friend_request', ?, 'unread', ?, n, ? FROM numbers`,
      JSON.stringify(data),
      now,
      expires_at,
    )
    const last = size + 1_001
    sql.exec(
      `${seqs(size + 1, last)} INSERT INTO events (seq, type, unread, data, created_at)
      SELECT n, 'notification_deleted', ?, '{"notification_id":"x"}', 1 FROM numbers`,
      size,
    )
    sql.exec('UPDATE counters SET seq = ?, total = ?, unread = ?', last, size, size)
  })
  await evictDurableObject(inbox) // an instance caches its counters
  return inbox
}

/** The rows that `work` reads and writes in the SQLite of an object, as SQLite counts them. */
function rowsOf(inbox: DurableObjectStub<Inbox>, work: (inbox: Inbox) => unknown): Promise<Rows> {
  return runInDurableObject(inbox, (instance, { storage: { sql } }) => {
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
    const exec = sql.exec.bind(sql)
    sql.exec = (query, ...values) => {
      const cursor = exec<Record<string, SqlStorageValue>>(query, ...values)
      cursors.push(cursor)
      return cursor as never
    }
    try {
      work(instance)
      sql.exec('SELECT 1').toArray()
    } finally {
      sql.exec = exec
    }
    expect(cursors.length, 'it was counted').toBeGreaterThan(0)
    const sum = (count: 'rowsRead' | 'rowsWritten') =>
      cursors.reduce((rows, cursor) => rows + cursor[count], 0)
    return { read: sum('rowsRead'), written: sum('rowsWritten') }
  })
}

/** Each action on an inbox, in order, and the largest numbers of rows that it may read and write. */
const budgets: [title: string, work: (inbox: Inbox, size: number) => unknown, most: Rows][] = [
  ['count', (inbox) => inbox.counts(), { read: 1, written: 0 }],
  ['list 10', (inbox) => inbox.list({ limit: 10, offset: 0 }), { read: 10, written: 0 }],
  ['publish', (inbox) => inbox.publish(request, rules), { read: 3, written: 2 }],
  ['publish with a key', (inbox) => inbox.publish(request, rules, key), { read: 3, written: 3 }],
  ['publish again', (inbox) => inbox.publish(request, rules, key), { read: 2, written: 0 }],
  [
    'publish when full',
    (inbox, size) => inbox.publish(request, { ...rules, max_notifications: size + 2 }),
    { read: 14, written: 8 },
  ],
  ['delete', (inbox, size) => inbox.remove(numbered(size)), { read: 6, written: 4 }],
  ['delete an unknown one', (inbox) => inbox.remove('unknown'), { read: 1, written: 0 }],
  ['read 1', (inbox, size) => inbox.markRead([numbered(size - 1)]), { read: 10, written: 4 }],
  ['read 1 again', (inbox, size) => inbox.markRead([numbered(size - 1)]), { read: 5, written: 0 }],
  ['read 5 of 1,000 ids', (inbox, size) => inbox.markRead(someOf(size - 6, 5)), { read: 2_100, written: 8 }],
  ['delete none', (inbox) => inbox.removeMany({ notification_ids: [] }), { read: 10, written: 0 }],
  [
    'delete 2 of 1,000 ids',
    (inbox, size) => inbox.removeMany({ notification_ids: someOf(size - 3, 2) }),
    { read: 4_100, written: 6 },
  ],
  ['publish with a life', (inbox) => inbox.publish(mortal, rules), { read: 3, written: 3 }],
  ['publish a signal', (inbox) => inbox.signal(signal), { read: 0, written: 0 }],
]
const request = { user_id: 'ada', type: 'friend_request', data } as const
const mortal = { ...request, expires_at: now + 3_600 }
const signal = { ...request, id: newId('ada'), state: 'unread' as const, created_at: now }
const key = { publisher: 'social', key: 'key', request_hash: 'hash' }

/** Announcements, in order: an inbox is told of one by each look, and takes it in by a call of its own. */
const announcementBudgets: typeof budgets = [
  ['a look that tells of one', (inbox) => inbox.counts({ version: 1, latest: 1 }), { read: 1, written: 0 }],
  ['taking one in', (inbox) => inbox.sync(listOf(1), 'ada', rules), { read: 5, written: 3 }],
  ['taking it in again', (inbox) => inbox.sync(listOf(1), 'ada', rules), { read: 0, written: 0 }],
  ['a look when it is there', (inbox) => inbox.counts({ version: 1, latest: 1 }), { read: 0, written: 0 }],
  ['taking in 20', (inbox) => inbox.sync(listOf(21), 'ada', rules), { read: 23, written: 41 }],
  [
    'a look that tells of a change',
    (inbox) => inbox.counts({ version: 22, latest: 21 }),
    { read: 21, written: 0 },
  ],
  [
    // Of the 25 rows written, 20 are events that are not kept any more since 20 notifications have come.
    'losing one that has ended',
    (inbox) => inbox.sync({ ...listOf(20), version: 22 }, 'ada', rules),
    { read: 51, written: 25 },
  ],
]

/** A list of announcements with the numbers 1 to `count`. */
const listOf = (count: number) => ({
  version: count,
  announcements: Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    type: 'studio.notice',
    data: { minutes: 30 },
    expires_at: now + 3_600,
  })),
})

/** A thousand ids; those from the given number on exist. */
const someOf = (from: number, count: number): string[] =>
  Array.from({ length: 1_000 }, (_, index) => (index < count ? numbered(from + index) : newId('unknown')))

describe(`in inboxes of ${SIZES.join(', ')} notifications, all unread`, () => {
  const costs: Record<string, Rows>[] = []
  const inboxes: DurableObjectStub<Inbox>[] = []

  beforeAll(async () => {
    for (const size of SIZES) {
      const inbox = await inboxOf(size)
      inboxes.push(inbox)
      const cost: Record<string, Rows> = {}
      for (const [title, work] of budgets)
        cost[title] = await rowsOf(inbox, (instance) => work(instance, size))
      costs.push(cost)
    }
    for (const [title] of budgets)
      console.log(`${title}: ${costs.map((cost) => JSON.stringify(cost[title])).join(' ')}`)
  })

  it.each(budgets)('%s costs the same rows, and no more than it may', (title, _, most) => {
    for (const [index, cost] of costs.entries()) {
      expect(cost[title], `with ${SIZES[index]}`).toEqual(costs[0]?.[title])
      expect(cost[title]?.read).toBeLessThanOrEqual(most.read)
      expect(cost[title]?.written).toBeLessThanOrEqual(most.written)
    }
  })

  it('a page of 50 reads 50 rows', async () => {
    const page = { limit: 50, offset: 0 }
    const rows = await Promise.all(inboxes.slice(1).map((inbox) => rowsOf(inbox, (i) => i.list(page))))
    console.log(`list 50: ${JSON.stringify(rows)}`)
    expect(rows).toEqual([
      { read: 50, written: 0 },
      { read: 50, written: 0 },
    ])
  })

  it('an offset reads the skipped rows, and a page past the end reads no more rows than exist', async () => {
    const [, thousand, tenThousand] = inboxes
    if (!thousand || !tenThousand) throw new Error('there are no inboxes')
    const page = (inbox: DurableObjectStub<Inbox>, offset: number) =>
      rowsOf(inbox, (instance) => instance.list({ limit: 50, offset }))
    const rows = [await page(thousand, 500), await page(tenThousand, 500), await page(thousand, 100_000)]
    console.log(`list 50 at 500, at 500, past the end: ${JSON.stringify(rows)}`)
    expect(rows[1]).toEqual(rows[0])
    expect(rows[0]?.read).toBeLessThanOrEqual(500 + 50)
    expect(rows[2]?.read).toBeLessThanOrEqual(1_010)
  })

  it('reading 1,000 of 1,000 costs what reading 1,000 of 10,000 costs', async () => {
    const rows: Rows[] = []
    for (const size of [1_000, 10_000]) {
      const inbox = await inboxOf(size)
      const ids = Array.from({ length: 1_000 }, (_, index) => numbered(size - index))
      rows.push(await rowsOf(inbox, (instance) => expect(instance.markRead(ids)).toBe(1_000)))
    }
    console.log(`read 1,000: ${JSON.stringify(rows)}`)
    expect(rows[1]).toEqual(rows[0])
    expect(rows[0]?.read).toBeLessThanOrEqual(6 * 1_000 + 10)
    expect(rows[0]?.written).toBeLessThanOrEqual(1_000 + 10)
  })

  it('a list of one state or type reads at most the inbox, and of the unread ones nothing that was read in one go', async () => {
    const rows: Record<string, Rows>[] = []
    for (const size of SIZES) {
      const inbox = await inboxOf(size)
      const list = (query: object) =>
        rowsOf(inbox, (instance) => instance.list({ limit: 50, offset: 0, ...query }))
      const first = await list({ type: 'friend_request', state: 'unread' })
      expect(first.read).toBeLessThanOrEqual(51)
      const none = [await list({ type: 'no.such' }), await list({ state: 'read' })]
      for (const { read } of none) expect(read).toBeLessThanOrEqual(size + 2)
      await rowsOf(inbox, (instance) => instance.markRead(null))
      const unread = await list({ state: 'unread' })
      expect(unread.read).toBeLessThanOrEqual(2)
      rows.push({ first, none: none[0] ?? first, unread })
    }
    console.log(`list with a filter: ${JSON.stringify(rows)}`)
  })

  it('deleting many costs a few rows each, and nothing when there are none to delete', async () => {
    const rows: Record<string, Rows>[] = []
    for (const size of SIZES) {
      const inbox = await inboxOf(size)
      const remove = (selection: 'read' | 'all', count: number) =>
        rowsOf(inbox, (instance) => expect(instance.removeMany(selection)).toBe(count))
      const nothing = await remove('read', 0)
      expect(nothing.read).toBeLessThanOrEqual(1)
      await rowsOf(inbox, (instance) => instance.markRead([numbered(size)]))
      const one = await remove('read', 1)
      expect(one).toEqual({ read: expect.any(Number), written: 4 })
      expect(one.read).toBeLessThanOrEqual(size + 10)
      const all = await remove('all', size - 1)
      expect(all.read).toBeLessThanOrEqual(3 * size + 10)
      expect(all.written).toBeLessThanOrEqual(size + 10)
      expect(await remove('all', 0)).toEqual({ read: 0, written: 0 })
      rows.push({ nothing, one, all })
    }
    console.log(`delete many: ${JSON.stringify(rows)}`)
  })

  it('marking all as read costs in proportion to the unread ones, and the same few rows when none is unread', async () => {
    const rows: Rows[][] = []
    for (const size of SIZES) {
      const inbox = await inboxOf(size)
      const all = (unread: number) =>
        rowsOf(inbox, (instance) => expect(instance.markRead(null)).toBe(unread))
      const [first, again] = [await all(size), await all(0)]
      rows.push([first, again])
      expect(first.read).toBeLessThanOrEqual(4 * size + 10)
      expect(first.written).toBeLessThanOrEqual(size + 10)
      expect(again).toEqual({ read: 0, written: 0 })
    }
    console.log(`read all, and again: ${JSON.stringify(rows)}`)
  })
})

it.each([
  ['any size', null],
  ['any size whose notifications all go by themselves', now + 3_600],
])('announcements cost the same few rows in inboxes of %s', async (_, expires_at) => {
  const costs: Record<string, Rows>[] = []
  for (const size of SIZES) {
    const inbox = await inboxOf(size, expires_at)
    const cost: Record<string, Rows> = {}
    for (const [title, work] of announcementBudgets)
      cost[title] = await rowsOf(inbox, (instance) => work(instance, size))
    costs.push(cost)
  }
  console.log(`announcements: ${JSON.stringify(costs[0])}`)
  for (const cost of costs) expect(cost).toEqual(costs[0])
  for (const [title, , most] of announcementBudgets) {
    expect(costs[0]?.[title]?.read, title).toBeLessThanOrEqual(most.read)
    expect(costs[0]?.[title]?.written, title).toBeLessThanOrEqual(most.written)
  }
})

it('alarms of notifications that go by themselves cost the same few rows, however many keys there are', async () => {
  const rows: Rows[] = []
  for (const size of SIZES) {
    const inbox = await inboxOf(10)
    await runInDurableObject(inbox, (_, { storage: { sql } }) => {
      sql.exec(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
        INSERT INTO idempotency (publisher, key, request_hash, response, expires_at)
        SELECT 'social', 'key ' || n, 'hash', '{}', ? FROM numbers`,
        size,
        now + 20 * 3_600,
      )
    })
    const alarm = () => rowsOf(inbox, (instance) => instance.alarm())
    await rowsOf(inbox, (instance) => instance.publish(mortal, rules))
    const [first, again] = [await alarm(), await alarm()]
    expect(first.read, 'it reads the keys once').toBeGreaterThan(size)
    rows.push(again)
  }
  console.log(`alarm: ${JSON.stringify(rows[0])}`)
  for (const cost of rows) expect(cost).toEqual(rows[0])
  expect(rows[0]?.read).toBeLessThanOrEqual(20)
})

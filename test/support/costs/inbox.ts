import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { steps } from '../../../src/features/notifications/migrations.ts'
import { createTables } from '../../../src/platform/lib/durable-object.ts'
import { announce, announcer, end } from '../announcements.ts'
import { newId } from '../exposed.ts'
import { newKey } from '../ids.ts'
import { data, gift, to } from '../notifications.ts'
import { upgrade } from '../service.ts'
import { operator, signUp, type User } from '../user.ts'
import type { Budget, Measuring } from './measure.ts'
import { FEW, type World } from './world.ts'

/** The number of events that an inbox keeps. */
const EVENTS = 1_000
const now = () => Math.floor(Date.now() / 1_000)

/** An id that ends in the number of the notification (src/features/notifications/rows.ts). */
const numbered = (number: number) => `00000000-0000-7000-9000-${number.toString(16).padStart(12, '0')}`

/** Ids of which `count` exist, from the given number on. */
const someOf = (from: number, count: number): string[] =>
  Array.from({ length: 1_000 }, (_, index) => (index < count ? numbered(from + index) : newId('unknown')))

/** Every request about notifications makes one call to an inbox, and none to D1 and R2. */
const call = (inbox_rows_read: number, inbox_rows_written: number, grows?: true): Budget => ({
  trips: 0,
  r2_calls: 0,
  inbox_calls: 1,
  inbox_rows_read,
  inbox_rows_written,
  ...(grows && { grows }),
})

/** A user whose inbox has `size` unread notifications, numbered up to `size`, and all events that are kept. */
async function userWith(
  service: Measuring['service'],
  size: number,
  expires_at: number | null = null,
): Promise<User> {
  const user = await signUp('ada', service)
  const inbox = env.INBOX.getByName(user.id)
  await runInDurableObject(inbox, (_, { storage }) => {
    createTables(storage, steps)
    const { sql } = storage
    const seqs = (from: number, last: number) =>
      `WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last})`
    sql.exec(
      `${seqs(1, size)} INSERT INTO notifications (seq, id, type, data, state, created_at, unread, expires_at)
      SELECT n, printf('00000000-0000-7000-9000-%012x', n), 'friend_request', ?, 'unread', ?, n, ? FROM numbers`,
      JSON.stringify(data),
      now(),
      expires_at,
    )
    const last = size + EVENTS + 1
    sql.exec(
      `${seqs(size + 1, last)} INSERT INTO events (seq, type, unread, data, created_at)
      SELECT n, 'notification_deleted', ?, '{"notification_id":"x"}', 1 FROM numbers`,
      size,
    )
    sql.exec('UPDATE counters SET seq = ?, total = ?, unread = ?', last, size, size)
  })
  await evictDurableObject(inbox) // an instance caches its counters
  return user
}

/** Measures requests about inboxes, with ten notifications or ten thousand, all unread. */
export async function measureInbox(costs: Measuring, { count }: World): Promise<void> {
  const size = count > FEW ? 10_000 : 10
  // The first look of an isolate reads the announcements after its answer.
  const visitor = await signUp('visitor', costs.service)
  for (let look = 0; look < 2; look++) await visitor.get('/notifications/unread-count')
  await measureOne(costs, size)
  await measureMany(costs, size)
  await measureBatch(costs)
  await measureAlarm(costs, size)
  for (const expires_at of [null, now() + 3_600]) await measureAnnouncements(costs, size, expires_at)
  if (count === FEW) await measureRefused(costs)
}

/** What is published, read and deleted one by one. */
async function measureOne({ measure, service, differently }: Measuring, size: number): Promise<void> {
  const user = await userWith(service, size)
  const social = (await operator('notifications:publish')).through(service)
  const publish = (json: object, headers = {}, by = social) =>
    by.request('POST', '/notifications', { json, headers })
  const mark = (notification_ids: string[]) =>
    user.request('POST', '/notifications/read', { json: { notification_ids } })
  const remove = (notification_ids: string[]) =>
    user.request('POST', '/notifications/delete', { json: { notification_ids } })
  const deleted = (id: string) => user.request('DELETE', `/notifications/${id}`)
  const note = to(user)
  const key = newKey()
  await measure('inbox: count', () => user.get('/notifications/unread-count'), 200, call(1, 0))
  await measure('inbox: list 10', () => user.get('/notifications?limit=10'), 200, call(10, 0))
  await measure('inbox: list 100', () => user.get('/notifications?limit=100'), 200, call(100, 0, true))
  await measure(
    'inbox: list, with an offset',
    () => user.get('/notifications?limit=50&offset=500'),
    200,
    call(550, 0, true),
  )
  const past = () => user.get('/notifications?limit=50&offset=100000')
  await measure('inbox: list past the end', past, 200, call(size + 10, 0, true))
  await measure('inbox: publish', () => publish(note), 201, call(3, 2))
  await measure('inbox: publish with a key', () => publish(note, key), 201, call(3, 3))
  await measure('inbox: publish again', () => publish(note, key), 201, call(2, 0))
  const other = () => publish({ ...note, type: 'friend_accepted' }, key)
  await measure('inbox: publish another with the key', other, 422, call(2, 0))
  const full = social.through(differently({ MAX_NOTIFICATIONS: String(size + 2) }))
  await measure('inbox: publish when it is full', () => publish(note, {}, full), 201, call(14, 8))
  await measure('inbox: delete', () => deleted(numbered(size)), 204, call(6, 4))
  await measure('inbox: delete an unknown one', () => deleted(numbered(size)), 404, call(2, 0))
  await measure('inbox: read one', () => mark([numbered(size - 1)]), 200, call(10, 4))
  await measure('inbox: read one again', () => mark([numbered(size - 1)]), 200, call(5, 0))
  await measure('inbox: read 5 of 1,000 ids', () => mark(someOf(size - 6, 5)), 200, call(2_100, 8))
  await measure('inbox: delete none', () => remove([]), 200, call(10, 0))
  await measure('inbox: delete 2 of 1,000 ids', () => remove(someOf(size - 3, 2)), 200, call(4_100, 6))
  const life = gift(user, { expires_in: 3_600 })
  await measure('inbox: publish what goes by itself', () => publish(life), 201, call(3, 3))
  await measure('inbox: publish a signal', () => publish({ ...life, persistent: false }), 201, call(0, 0))
  await measure(
    'inbox: publish a signal with a key',
    () => publish({ ...life, persistent: false }, newKey()),
    201,
    call(2, 2),
  )
  const opened = await measure(
    'inbox: open a socket',
    () => upgrade({ Authorization: `Bearer ${user.token}` }, '', service),
    101,
    call(2, 0),
  )
  opened.webSocket?.accept()
  opened.webSocket?.close()
}

/** What is listed with a filter, and read and deleted all at once. */
async function measureMany({ measure, service }: Measuring, size: number): Promise<void> {
  const user = await userWith(service, size)
  const listed = (query: string) => () => user.get(`/notifications?limit=50&${query}`)
  const first = listed('type=friend_request&state=unread')
  await measure('inbox: list one type and state', first, 200, call(51, 0, true))
  for (const none of ['type=no.such', 'state=read'])
    await measure(
      'inbox: list a type or state of which there is none',
      listed(none),
      200,
      call(size + 2, 0, true),
    )
  const remove = (json: object) => () => user.request('POST', '/notifications/delete', { json })
  await measure('inbox: delete the read ones, of none', remove({ state: 'read' }), 200, call(1, 0))
  await user.request('POST', '/notifications/read', { json: { notification_ids: [numbered(size)] } })
  await measure(
    'inbox: delete the read ones, of one',
    remove({ state: 'read' }),
    200,
    call(size + 10, 4, true),
  )
  const read = () => user.request('POST', '/notifications/read', { json: {} })
  await measure('inbox: read all', read, 200, call(4 * size + 10, size + 10, true))
  await measure('inbox: read all of none', read, 200, call(0, 0))
  await measure('inbox: list unread ones of none', listed('state=unread'), 200, call(2, 0))
  const other = await userWith(service, size)
  const all = () => other.request('POST', '/notifications/delete', { json: { all: true } })
  await measure('inbox: delete all', all, 200, call(3 * size + 10, size + 10, true))
  await measure('inbox: delete all of none', all, 200, call(0, 0))
  const thousand = await userWith(service, size + 990)
  const notification_ids = Array.from({ length: 1_000 }, (_, index) => numbered(size + 990 - index))
  const marked = () => thousand.request('POST', '/notifications/read', { json: { notification_ids } })
  await measure('inbox: read 1,000', marked, 200, call(6_010, 1_010))
}

/** A batch makes one call for each recipient, kept or not, with a key or without. */
async function measureBatch({ measure, service }: Measuring): Promise<void> {
  const social = await operator('notifications:publish', service)
  const user_ids = Array.from({ length: 100 }, () => crypto.randomUUID())
  const batch = { user_ids, type: 'shop.gift', data: { gift_id: 'x' } }
  const send =
    (different: object, headers = {}) =>
    () =>
      social.request('POST', '/notifications/batch', { json: { ...batch, ...different }, headers })
  const each = { trips: 0, r2_calls: 0, inbox_calls: 100 }
  const key = newKey()
  await send({})() // it makes the tables of the inboxes
  await measure('publish to 100 users without a key', send({}), 200, each)
  await measure('publish to 100 users with a key', send({}, key), 200, each)
  await measure('publish to 100 users again', send({}, key), 200, each)
  await measure('publish a signal to 100 users', send({ persistent: false }), 200, each)
  const none = { ...each, inbox_calls: 0 }
  for (const wrong of [{ user_ids: [...user_ids.slice(1), ''] }, { expires_in: 10 ** 9 }])
    await measure('publish an invalid batch', send(wrong), 400, none)
}

/** What is refused before calls no inbox. */
async function measureRefused({ measure, service }: Measuring): Promise<void> {
  const ada = await signUp('ada', service)
  const social = await operator('notifications:publish', service)
  const refused = (status: number, user: User, method: string, path: string, json?: object) =>
    measure(
      'a request about notifications that is refused',
      () => user.request(method, `/notifications${path}`, { json }),
      status,
      {
        trips: 0,
        r2_calls: 0,
        inbox_calls: 0,
      },
    )
  await refused(400, ada, 'POST', '/read', { notification_ids: null })
  await refused(400, ada, 'GET', '?limit=0')
  await refused(400, social, 'POST', '', { user_id: ada.id, type: 'other', data })
  await refused(400, ada, 'GET', '?type=gift')
  await refused(400, ada, 'POST', '/delete', {})
  await refused(403, ada, 'POST', '', {})
  await refused(426, ada, 'GET', '/ws')
}

/** The alarm of what goes by itself costs the same rows, however many keys there are. */
async function measureAlarm({ sum, service }: Measuring, size: number): Promise<void> {
  const user = await userWith(service, 10)
  const social = await operator('notifications:publish', service)
  const inbox = env.INBOX.getByName(user.id)
  await runInDurableObject(inbox, (_, { storage: { sql } }) => {
    sql.exec(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
      INSERT INTO idempotency (publisher, key, request_hash, response, expires_at)
      SELECT 'social', 'key ' || n, 'hash', '{}', ? FROM numbers`,
      size,
      now() + 20 * 3_600,
    )
  })
  await social.request('POST', '/notifications', { json: gift(user, { expires_in: 3_600 }) })
  const alarm = () => runInDurableObject(inbox, (instance) => instance.alarm())
  await sum('inbox: the first alarm, which reads the keys', alarm, { grows: true })
  await sum('inbox: an alarm', alarm, { inbox_rows_read: 20 })
}

/** An inbox that hears of announcements: of one, of more, and of one that has ended. */
async function measureAnnouncements(
  { measure, service }: Measuring,
  size: number,
  expires_at: number | null,
) {
  const [user, studio] = [await userWith(service, size, expires_at), await announcer(service)]
  const look = () => user.get('/notifications/unread-count')
  const looked = (request: string, budget: Budget) =>
    measure(`inbox: ${request}`, look, 200, { trips: 0, ...budget })
  const rows = (inbox_rows_read: number, inbox_rows_written: number): Budget => ({
    inbox_rows_read,
    inbox_rows_written,
  })
  const first = await announce(studio)
  await looked('a look that takes in an announcement', rows(6, 3))
  await looked('a look after an announcement', rows(0, 0))
  const announced = [first]
  for (let number = 1; number < 20; number++) announced.push(await announce(studio))
  await looked('a look that takes in 19 announcements', rows(24, 39))
  await end(studio, first)
  // Some rows written are events that are not kept any more since notifications have come.
  await looked('a look that loses an announcement', rows(72, 25))
  for (const one of announced.slice(1)) await end(studio, one)
}

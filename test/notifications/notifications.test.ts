import type { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { type Answer, made } from '../support/answer.ts'
import { unknownId } from '../support/ids.ts'
import { outgoing } from '../support/outgoing.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { id, operator, signUp, type User } from '../support/user.ts'

type Notification = z.output<typeof records.Notification>

const social = await operator('notifications:publish')
/** Someone's notifications as they send them: the user has `count`, told here newest first. */
async function notify(user: User, count: number): Promise<Notification[]> {
  const notifications: Notification[] = []
  for (let from_user_id = 1; from_user_id <= count; from_user_id++) {
    const data = { from_user_id, from_display_name: `Friend ${from_user_id}` }
    const json = { user_id: user.id, type: 'friend_request', data }
    notifications.unshift(
      made(records.Notification, await social.request('POST', '/notifications', { json }), 201),
    )
  }
  return notifications
}

const list = async (user: User, query = '') =>
  made(records.NotificationPage, await user.get(`/notifications${query}`), 200)
const count = (user: User) => user.get('/notifications/unread-count')
const seqOf = ({ headers }: Answer) => Number(headers.get('X-Inbox-Seq'))
const markRead = (user: User, json?: unknown) => user.request('POST', '/notifications/read', { json })
const remove = (user: User, notification: string | { id: string }) =>
  user.request('DELETE', `/notifications/${id(notification)}`)
const ids = (notifications: { id: string }[]) => notifications.map(({ id }) => id)

describe('GET /v1/notifications', () => {
  it('is empty for a user whom nobody has told anything', async () => {
    const ada = await signUp('ada')
    const answer = await ada.get('/notifications')
    expect(answer.body).toEqual({ notifications: [], total: 0, unread: 0 })
    expect(answer.headers.get('X-Inbox-Seq')).toBe('0')
  })

  it('has the members of the contract and no other, the newest first', async () => {
    const ada = await signUp('ada')
    const notifications = await notify(ada, 3)
    await markRead(ada, { notification_ids: [notifications[1]?.id] })
    const { body } = await ada.get('/notifications')
    const expected = notifications.map((notification, place) => ({
      id: notification.id,
      type: 'friend_request',
      data: { from_user_id: 3 - place, from_display_name: `Friend ${3 - place}` },
      state: place === 1 ? 'read' : 'unread',
      created_at: expect.closeTo(Date.now() / 1_000, -2),
    }))
    expect(body).toEqual({ notifications: expected, total: 3, unread: 2 })
  })

  it('holds 50 a page, or from 1 to 100 as asked for, and counts the whole inbox on each', async () => {
    const ada = await signUp('ada')
    const all = ids(await notify(ada, 101))
    await markRead(ada, { notification_ids: all.slice(0, 2) })
    for (const [query, length] of [
      ['', 50],
      ['?limit=1', 1],
      ['?limit=100', 100],
    ] as const) {
      const page = await list(ada, query)
      expect(ids(page.notifications), query).toEqual(all.slice(0, length))
      expect(page, query).toMatchObject({ total: 101, unread: 99 })
    }
  })

  it('goes on where `offset` says, to the end and past it', async () => {
    const ada = await signUp('ada')
    const all = ids(await notify(ada, 7))
    const pages = []
    for (const offset of [0, 3, 6]) pages.push(await list(ada, `?limit=3&offset=${offset}`))
    expect(pages.flatMap(({ notifications }) => ids(notifications))).toEqual(all)
    expect(ids((await list(ada, '?offset=2')).notifications)).toEqual(all.slice(2))
    for (const offset of [7, 8, 999_999_999])
      expect(await list(ada, `?offset=${offset}`)).toEqual({ notifications: [], total: 7, unread: 7 })
  })

  it.each([
    ...['0', '101', '-1', '1.5', '1e1', '', '%201', '+1', 'all', '0x1'].map((limit) => ['limit', limit]),
    ...['-1', '1.5', '1e1', '', '%201', '+1', 'all', '0x1'].map((offset) => ['offset', offset]),
  ])('refuses %s=%s', async (name, value) => {
    const ada = await signUp('ada')
    expect(await ada.get(`/notifications?${name}=${value}`)).toBeProblem(400, 'VALIDATION_FAILED', `/${name}`)
  })

  it('shows nobody else’s', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    await notify(ada, 2)
    const [only] = await notify(bob, 1)
    expect(await list(bob)).toEqual({ notifications: [only], total: 1, unread: 1 })
  })

  it('says at which seq it is true: one more after each change, and the same after what changed nothing', async () => {
    const ada = await signUp('ada')
    const expectSeq = async (seq: number) => {
      expect(seqOf(await ada.get('/notifications?limit=1'))).toBe(seq)
      expect(seqOf(await count(ada))).toBe(seq)
    }
    await expectSeq(0)
    const [newest, oldest] = await notify(ada, 2)
    await expectSeq(2)
    await markRead(ada, { notification_ids: [newest?.id, oldest?.id] })
    await expectSeq(3)
    await markRead(ada)
    await markRead(ada, { notification_ids: [newest?.id] })
    await remove(ada, unknownId)
    await expectSeq(3)
    await remove(ada, oldest ?? '')
    await expectSeq(4)
    await remove(ada, oldest ?? '')
    await expectSeq(4)
    await notify(ada, 1)
    await expectSeq(5)
  })

  it('holds MAX_NOTIFICATIONS, of which the oldest goes first, read or not', async () => {
    const ada = await signUp('ada')
    const service = serviceWith({ MAX_NOTIFICATIONS: '3' })
    const small = social.through(service)
    const sent: string[] = []
    for (let from_user_id = 1; from_user_id <= 5; from_user_id++) {
      const data = { from_user_id, from_display_name: 'Friend' }
      const json = { user_id: ada.id, type: 'friend_accepted', data }
      sent.unshift(
        made(records.Notification, await small.request('POST', '/notifications', { json }), 201).id,
      )
      if (from_user_id === 3) await markRead(ada, { notification_ids: [sent[1]] })
    }
    const { notifications, total, unread } = await list(ada)
    expect([ids(notifications), total, unread]).toEqual([sent.slice(0, 3), 3, 3])
  })
})

describe('GET /v1/notifications/unread-count', () => {
  it('is the count of the whole inbox and nothing else', async () => {
    const ada = await signUp('ada')
    expect((await count(ada)).body).toEqual({ count: 0 })
    const [newest] = await notify(ada, 60)
    expect((await count(ada)).body).toEqual({ count: 60 })
    await markRead(ada, { notification_ids: [newest?.id] })
    expect((await count(ada)).body).toEqual({ count: 59 })
    await remove(ada, newest ?? '')
    expect((await count(ada)).body).toEqual({ count: 59 })
  })
})

describe('POST /v1/notifications/read', () => {
  const all: Record<string, Parameters<User['request']>[2]> = {
    'no body': {},
    'no body and another content type': { headers: { 'Content-Type': 'text/plain' } },
    'an empty object': { json: {} },
    'an empty array': { json: { notification_ids: [] } },
    'an unknown member alone': { json: { ids: ['x'] } },
  }
  it.each(Object.entries(all))('marks all with %s', async (_, options) => {
    const ada = await signUp('ada')
    const notifications = await notify(ada, 3)
    const answer = await ada.request('POST', '/notifications/read', options)
    expect([answer.status, answer.body]).toEqual([200, { marked_count: 3 }])
    const read = notifications.map((notification) => ({ ...notification, state: 'read' }))
    expect(await list(ada)).toEqual({ notifications: read, total: 3, unread: 0 })
    expect((await ada.request('POST', '/notifications/read', options)).body).toEqual({ marked_count: 0 })
  })

  it('leaves what comes later unread', async () => {
    const ada = await signUp('ada')
    await notify(ada, 1)
    await markRead(ada)
    await notify(ada, 1)
    expect((await list(ada)).notifications.map(({ state }) => state)).toEqual(['unread', 'read'])
  })

  it('marks those that are named, and counts what it changed: each once, and what was read before not', async () => {
    const ada = await signUp('ada')
    const [a, b, c] = ids(await notify(ada, 3))
    expect((await markRead(ada, { notification_ids: [a, a, c, a] })).body).toEqual({ marked_count: 2 })
    expect((await list(ada)).notifications.map(({ state }) => state)).toEqual(['read', 'unread', 'read'])
    expect((await markRead(ada, { notification_ids: [a, b] })).body).toEqual({ marked_count: 1 })
    expect((await markRead(ada, { notification_ids: [a, b, c] })).body).toEqual({ marked_count: 0 })
    expect(await list(ada)).toMatchObject({ total: 3, unread: 0 })
  })

  it('ignores ids that are unknown, malformed, deleted or another user’s', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const [[gone, mine], [bobs]] = [await notify(ada, 2), await notify(bob, 1)]
    await remove(ada, gone ?? '')
    const others = [
      bobs?.id,
      gone?.id,
      unknownId,
      '',
      'x',
      '\u{1F600}',
      "' OR 1 = 1 --",
      'a\u0000b',
      '\ud800',
    ]
    expect((await markRead(ada, { notification_ids: others })).body).toEqual({ marked_count: 0 })
    expect(await list(ada)).toEqual({ notifications: [mine], total: 1, unread: 1 })
    expect(await list(bob)).toEqual({ notifications: [bobs], total: 1, unread: 1 })
    expect((await markRead(ada, { notification_ids: [...others, mine?.id] })).body).toEqual({
      marked_count: 1,
    })
  })

  it('takes 1,000 ids and refuses one more', async () => {
    const ada = await signUp('ada')
    const mine = ids(await notify(ada, 2))
    const notification_ids = [...mine, ...Array.from({ length: 998 }, () => crypto.randomUUID())]
    const tooMany = { notification_ids: [...notification_ids, unknownId] }
    expect(await markRead(ada, tooMany)).toBeProblem(400, 'VALIDATION_FAILED', '/notification_ids')
    expect((await count(ada)).body).toEqual({ count: 2 })
    expect((await markRead(ada, { notification_ids })).body).toEqual({ marked_count: 2 })
  })

  it.each([[null], ['all'], [7], [true], [{}], [{ length: 0 }], [[null]], [[7]], [[['x']]]])(
    'refuses notification_ids: %j, which is not "all"',
    async (notification_ids) => {
      const ada = await signUp('ada')
      await notify(ada, 1)
      expect(await markRead(ada, { notification_ids })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/notification_ids',
      )
      expect((await count(ada)).body).toEqual({ count: 1 })
    },
  )

  it('counts each notification once, however many devices read all at the same time', async () => {
    const ada = await signUp('ada')
    await notify(ada, 5)
    const answers = await Promise.all(Array.from({ length: 20 }, () => markRead(ada)))
    const counts = answers.map(({ body }) => (body as { marked_count: number }).marked_count)
    expect(counts.sort()).toEqual([...Array(19).fill(0), 5])
  })
})

describe('DELETE /v1/notifications/{id}', () => {
  it('deletes for good, once', async () => {
    const ada = await signUp('ada')
    const [newest, middle, oldest] = await notify(ada, 3)
    const answer = await remove(ada, middle ?? '')
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await remove(ada, middle ?? '')).toBeProblem(404, 'NOTIFICATION_NOT_FOUND')
    expect(await list(ada)).toEqual({ notifications: [newest, oldest], total: 2, unread: 2 })
  })

  it('lowers the unread count for an unread one only', async () => {
    const ada = await signUp('ada')
    const [newest, oldest] = await notify(ada, 2)
    await markRead(ada, { notification_ids: [newest?.id] })
    await remove(ada, newest ?? '')
    expect(await list(ada)).toMatchObject({ total: 1, unread: 1 })
    await remove(ada, oldest ?? '')
    expect(await list(ada)).toMatchObject({ total: 0, unread: 0 })
  })

  it('is NOTIFICATION_NOT_FOUND for an id that is unknown, malformed or another user’s', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const [bobs] = await notify(bob, 1)
    const strange = ['x', 'all', '%F0%9F%98%80', '..%2F', 'a%00b', '%25', 'x'.repeat(2_000)]
    for (const other of [bobs?.id ?? '', unknownId, ...strange])
      expect(await remove(ada, other), other).toBeProblem(404, 'NOTIFICATION_NOT_FOUND')
    expect(await list(bob)).toEqual({ notifications: [bobs], total: 1, unread: 1 })
  })

  it('happens once, however many devices delete at the same time', async () => {
    const ada = await signUp('ada')
    const [newest] = await notify(ada, 2)
    const answers = await Promise.all(Array.from({ length: 20 }, () => remove(ada, newest ?? '')))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(19).fill(404)])
    expect(await list(ada)).toMatchObject({ total: 1, unread: 1 })
  })
})

it('what a repetition would do twice, or not find any more, is asked of an inbox once, also when its answer is lost', async () => {
  const ada = await signUp('ada')
  const [newest, oldest] = await notify(ada, 2)
  const calls: string[] = []
  const lossy = serviceWith(
    outgoing(async (binding, site, act) => {
      const answer = await act()
      if (binding !== 'INBOX') return answer
      calls.push(site)
      throw Object.assign(new Error('The answer is lost.'), { retryable: true })
    }),
  )
  const [reader, publisher] = [ada.through(lossy), social.through(lossy)]
  const json = { user_id: ada.id, type: newest?.type, data: newest?.data }
  for (const answer of [
    await publisher.request('POST', '/notifications', { json }),
    await publisher.request('POST', '/notifications', { json: { ...json, persistent: false } }),
    await markRead(reader),
    await remove(reader, oldest ?? ''),
    await reader.request('POST', '/notifications/delete', { json: { all: true } }),
  ])
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
  expect(calls).toEqual(['publish', 'signal', 'markRead', 'remove', 'removeMany'])
  expect(await list(ada)).toMatchObject({ total: 0 })
})

import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { type Answer, made } from '../support/answer.ts'
import { data, inbox, to } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { operator, signUp, type User } from '../support/user.ts'

const SCOPE = 'notifications:publish'

const publish = (service: User, json: unknown, key?: string) =>
  service.request('POST', '/notifications', { json, headers: key ? { 'Idempotency-Key': key } : {} })
const idOf = (answer: Answer) => made(records.Notification, answer, 201).id
const aKey = () => crypto.randomUUID()

describe('POST /v1/notifications', () => {
  it('puts a notification into a user’s inbox, and answers with it and no member more', async () => {
    const [social, ada] = [await operator(SCOPE), await signUp('ada')]
    for (const [index, type] of ['friend_request', 'friend_accepted'].entries()) {
      const published = await publish(social, to(ada, { type }))
      expect(published.status, published.text).toBe(201)
      expect(published.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type,
        data,
        state: 'unread',
        created_at: expect.closeTo(Date.now() / 1_000, -2),
      })
      const { notifications, total, unread } = await inbox(ada)
      expect([notifications[0], total, unread]).toEqual([published.body, index + 1, index + 1])
    }
  })

  it('keeps nothing of members that it does not know', async () => {
    const [social, ada] = [await operator(SCOPE), await signUp('ada')]
    const more = to(ada, { id: 'x', state: 'read', created_at: 1, data: { ...data, from_avatar: 'x' } })
    const published = await publish(social, more)
    expect(published.body).toMatchObject({ state: 'unread', data })
    expect(Object.keys(made(records.Notification, published, 201).data)).toEqual(Object.keys(data))
    expect((await inbox(ada)).notifications).toEqual([published.body])
  })

  it('is FORBIDDEN to players, in their own inbox too, and to other services', async () => {
    const ada = await signUp('ada')
    for (const caller of [ada, await operator('quota:write notifications:publishing'), await signUp('eve')])
      expect(await publish(caller, to(ada))).toBeProblem(403, 'FORBIDDEN', SCOPE)
    expect(await inbox(ada)).toMatchObject({ total: 0 })
    expect((await publish(await operator(`quota:write ${SCOPE}`), to(ada))).status).toBe(201)
  })

  const refused: [member: string, values: unknown[]][] = [
    [
      '/user_id',
      [undefined, null, 7, {}, [], '', '.', '..', ' ', 'x'.repeat(129), 'a\u0000b', 'a\u007f', 'a\ud800'],
    ],
    ['/type', [undefined, null, 7, '', 'notification', 'FRIEND_REQUEST', ['friend_request'], '__proto__']],
    ['/data', [undefined, null, 7, 'data', []]],
  ]
  it.each(refused)('refuses another %s', async (path, values) => {
    const [social, ada] = [await operator(SCOPE), await signUp('ada')]
    for (const value of values) {
      const answer = await publish(social, to(ada, { [path.slice(1)]: value }))
      expect(answer, JSON.stringify(value)).toBeProblem(400, 'VALIDATION_FAILED', path)
    }
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  const refusedData: [member: string, values: unknown[]][] = [
    ['from_user_id', [undefined, null, '7', 1.5, true, 2 ** 53, -(2 ** 53), {}, [7]]],
    [
      'from_display_name',
      [
        ...[
          undefined,
          null,
          7,
          {},
          ['Bob'],
          '',
          'x'.repeat(256),
          '\u{1F600}'.repeat(256),
          'a\ud800',
          '\udc00b',
        ],
        ...['a\u0000b', 'a\nb', 'a\u007f', '\u202eboB', 'a\u2066b\u2069', ' ', '\u200b', '\u3164 \u00ad'],
      ],
    ],
  ]
  it.each(refusedData)('refuses another data.%s', async (member, values) => {
    const [social, ada] = [await operator(SCOPE), await signUp('ada')]
    for (const value of values) {
      const answer = await publish(social, to(ada, { data: { ...data, [member]: value } }))
      expect(answer, JSON.stringify(value)).toBeProblem(400, 'VALIDATION_FAILED', `/data/${member}`)
    }
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it('takes any integer that JSON keeps, and a name of 1 to 255 characters, as they are', async () => {
    const [social, ada] = [await operator(SCOPE), await signUp('ada')]
    const integers = [0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
    const names = ['x', ' x ', 'x'.repeat(255), '\u{1F600}'.repeat(255), 'e\u0301 "\\ \u200d </script>']
    const taken = [
      ...integers.map((from_user_id) => ({ ...data, from_user_id })),
      ...names.map((from_display_name) => ({ ...data, from_display_name })),
    ]
    for (const exact of taken)
      expect((await publish(social, to(ada, { data: exact }))).body).toMatchObject({ data: exact })
    expect((await inbox(ada)).notifications.map(({ data }) => data)).toEqual(taken.toReversed())
  })

  it('takes any user id there can be, also of a user whom nobody has seen', async () => {
    const social = await operator(SCOPE)
    for (const user_id of [`${'\u{1F600}'.repeat(127)}x`, `e\u0301/%2F ${aKey()}`])
      expect((await publish(social, to({ id: user_id }))).status).toBe(201)
  })
})

describe('an Idempotency-Key of a publication', () => {
  it('notifies once, however many requests bring it at the same time, and answers all of them alike', async () => {
    const [social, ada, key] = [await operator(SCOPE), await signUp('ada'), aKey()]
    const answers = await Promise.all(Array.from({ length: 50 }, () => publish(social, to(ada), key)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const list = await ada.get('/notifications')
    expect(list.body).toEqual({ notifications: [answers[0]?.body], total: 1, unread: 1 })
    expect(list.headers.get('X-Inbox-Seq'), 'one event').toBe('1')
  })

  it('is answered as the first time, also after the notification was read and after it was deleted', async () => {
    const [social, ada, key] = [await operator(SCOPE), await signUp('ada'), aKey()]
    const first = await publish(social, to(ada), key)
    await ada.request('POST', '/notifications/read')
    const afterRead = await publish(social, to(ada), key)
    expect((await inbox(ada)).unread).toBe(0)
    await ada.request('DELETE', `/notifications/${idOf(first)}`)
    const afterDelete = await publish(social, to(ada), key)
    for (const again of [afterRead, afterDelete])
      expect([again.status, again.text]).toEqual([201, first.text])
    const list = await ada.get('/notifications')
    expect(list.body).toEqual({ notifications: [], total: 0, unread: 0 })
    expect(list.headers.get('X-Inbox-Seq'), 'created, read, deleted').toBe('3')
  })

  it('is IDEMPOTENCY_KEY_REUSED with another notification, and nothing is added', async () => {
    const [social, ada, key] = [await operator(SCOPE), await signUp('ada'), aKey()]
    const first = await publish(social, to(ada), key)
    for (const other of [
      { type: 'friend_accepted' },
      { data: { ...data, from_user_id: 8 } },
      { data: { ...data, from_display_name: 'bob' } },
    ])
      expect(await publish(social, to(ada, other), key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    expect(await inbox(ada)).toEqual({ notifications: [first.body], total: 1, unread: 1 })
  })

  it('knows the same notification again in another order and with members that it does not know', async () => {
    const [social, ada, key] = [await operator(SCOPE), await signUp('ada'), aKey()]
    const first = await publish(social, to(ada), key)
    const body = `{ "data": {"from_display_name":"Bob", "from_user_id": 7.0}, "x": 1, "type": "friend_request", "user_id": ${JSON.stringify(ada.id)} }`
    const headers = { 'Idempotency-Key': key, 'Content-Type': 'application/json' }
    const again = await social.request('POST', '/notifications', { body, headers })
    expect(again.text).toBe(first.text)
    expect(await inbox(ada)).toMatchObject({ total: 1 })
  })

  it('is another key from another publisher, and for another recipient', async () => {
    const [social, guilds] = [await operator(SCOPE), await operator(SCOPE)]
    const [ada, bob, key] = [await signUp('ada'), await signUp('bob'), aKey()]
    const answers = [
      await publish(social, to(ada), key),
      await publish(guilds, to(ada, { type: 'friend_accepted' }), key),
      await publish(social, to(bob, { type: 'friend_accepted' }), key),
    ]
    expect(new Set(answers.map(idOf)).size).toBe(3)
    expect([(await inbox(ada)).total, (await inbox(bob)).total]).toEqual([2, 1])
  })

  it('stays free when its request was refused', async () => {
    const [social, ada, key] = [await operator(SCOPE), await signUp('ada'), aKey()]
    expect(await publish(social, to(ada, { type: 'other' }), key)).toBeProblem(400, 'VALIDATION_FAILED')
    expect((await publish(social, to(ada), key)).status).toBe(201)
  })

  it('has 1 to 255 characters', async () => {
    const [social, ada] = [await operator(SCOPE), await signUp('ada')]
    const tooLong = await publish(social, to(ada), 'x'.repeat(256))
    expect(tooLong).toBeProblem(400, 'VALIDATION_FAILED', '/idempotency-key')
    const empty = await social.request('POST', '/notifications', {
      json: to(ada),
      headers: { 'Idempotency-Key': '' },
    })
    expect(empty).toBeProblem(400, 'VALIDATION_FAILED', '/idempotency-key')
    expect(await inbox(ada)).toMatchObject({ total: 0 })
    for (const key of ['x', 'x'.repeat(255)]) expect((await publish(social, to(ada), key)).status).toBe(201)
  })

  it('is a new one after 24 hours, and not before', async () => {
    const object = env.INBOX.getByName(`ada-${crypto.randomUUID()}`)
    const now = Math.floor(Date.now() / 1_000)
    const key = { publisher: 'social', key: aKey(), request_hash: 'hash' }
    const publishedAt = async (later: number, request_hash = 'hash') => {
      const rules = { now: now + later, retention_days: 90, max_notifications: 10_000 }
      const { notification, error } = await object.publish(
        { user_id: 'ada', type: 'friend_request', data },
        rules,
        {
          ...key,
          request_hash,
        },
      )
      return notification?.created_at ?? error
    }
    const day = 24 * 60 * 60
    expect(await publishedAt(0)).toBe(now)
    expect(await publishedAt(day - 1)).toBe(now)
    expect(await publishedAt(day - 1, 'another')).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(await publishedAt(day, 'another')).toBe(now + day)
    expect(await publishedAt(day + 1)).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(await publishedAt(2 * day - 1, 'another')).toBe(now + day)
    expect(await object.counts()).toEqual({ seq: 2, total: 2, unread: 2 })
  })
})

import { describe, expect, it } from 'vitest'
import { type Answer, made } from '../support/answer.ts'
import { Device } from '../support/device.ts'
import { gift, inbox, publish, publishBatch } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { operator, signUp, type User } from '../support/user.ts'

const SCOPE = 'notifications:publish'
const aKey = () => crypto.randomUUID()
const users = (count: number) => Promise.all(Array.from({ length: count }, () => signUp()))
const message = { type: 'shop.gift', data: { gift_id: 'golden-sword' } }
const toAll = (recipients: readonly { id: string }[], different: Record<string, unknown> = {}) => ({
  user_ids: recipients.map(({ id }) => id),
  ...message,
  ...different,
})
const resultsOf = (answer: Answer) => made(records.BatchResults, answer, 200).results
const totalOf = async (user: User) => (await inbox(user)).total

describe('POST /v1/notifications/batch', () => {
  it('puts one notification into each of up to 100 inboxes, and answers in the order asked for', async () => {
    const [publisher, recipients] = [await operator(SCOPE), await users(100)]
    const phone = await Device.of(recipients[70] ?? (await signUp()))
    const results = resultsOf(await publishBatch(publisher, toAll(recipients)))
    const lists = await Promise.all(recipients.map(inbox))
    expect(results).toEqual(
      recipients.map(({ id }, place) => ({
        user_id: id,
        notification_id: lists[place]?.notifications[0]?.id,
      })),
    )
    for (const list of lists) {
      expect(list).toMatchObject({ total: 1, unread: 1 })
      expect(list.notifications[0]).toMatchObject(message)
    }
    expect((await phone.settled()).events).toMatchObject([{ data: { id: results[70]?.notification_id } }])
  })

  it('is FORBIDDEN to players, and to other services', async () => {
    const ada = await signUp('ada')
    for (const caller of [ada, await operator('announcements:publish')])
      expect(await publishBatch(caller, toAll([ada]))).toBeProblem(403, 'FORBIDDEN', SCOPE)
    expect(await totalOf(ada)).toBe(0)
  })

  const bad: [title: string, path: string, ids: (ada: string) => unknown][] = [
    ['an empty list', '/user_ids', () => []],
    ['no list', '/user_ids', (ada) => ada],
    ['nothing', '/user_ids', () => undefined],
    ['101 users', '/user_ids', (ada) => [ada, ...Array.from({ length: 100 }, aKey)]],
    ['a user twice', '/user_ids', (ada) => [ada, 'bob', ada]],
    ['an empty id', '/user_ids/1', (ada) => [ada, '']],
    ['a number', '/user_ids/1', (ada) => [ada, 7]],
    ['null', '/user_ids/0', (ada) => [null, ada]],
    ['a dot', '/user_ids/2', (ada) => [ada, 'bob', '.']],
    ['a control character', '/user_ids/1', (ada) => [ada, 'a\u0000']],
    ['a lone surrogate', '/user_ids/1', (ada) => [ada, 'a\ud800']],
    ['129 characters', '/user_ids/1', (ada) => [ada, 'x'.repeat(129)]],
  ]
  it.each(bad)('is refused as a whole with %s', async (_, path, ids) => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const answer = await publishBatch(publisher, { ...message, user_ids: ids(ada.id) })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', path)
    expect(await totalOf(ada)).toBe(0)
  })

  it.each([
    ['/type', { type: 'gift' }],
    ['/data', { data: [] }],
    ['/data', { data: { text: 'x'.repeat(4_096) } }],
    ['/data/from_user_id', { type: 'friend_request' }],
    ['/expires_in', { expires_in: 59 }],
    ['/expires_in', { expires_in: 90 * 24 * 60 * 60 + 1 }],
    ['/persistent', { persistent: 'no' }],
  ])('holds the message to the rules of a single one: %s', async (path, different) => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const answer = await publishBatch(publisher, toAll([ada], different))
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', path)
    expect(await totalOf(ada)).toBe(0)
  })

  it('has user ids that are compared code point by code point', async () => {
    const publisher = await operator(SCOPE)
    const suffix = aKey()
    const recipients = ['\u00e9', 'e\u0301', 'E\u0301', ' e\u0301'].map((id) => ({ id: `${id}${suffix}` }))
    const results = resultsOf(await publishBatch(publisher, toAll(recipients)))
    expect(results.map(({ user_id }) => user_id)).toEqual(recipients.map(({ id }) => id))
    expect(new Set(results.map(({ notification_id }) => notification_id)).size).toBe(4)
  })

  it('notifies each once with one key, however many requests bring it at the same time', async () => {
    const [publisher, recipients, key] = [await operator(SCOPE), await users(10), aKey()]
    const sent = Array.from({ length: 10 }, (_, turn) =>
      publishBatch(publisher, toAll(turn % 2 ? recipients : recipients.toReversed()), key),
    )
    const answers = (await Promise.all(sent)).map(resultsOf)
    for (const [turn, results] of answers.entries())
      expect(turn % 2 ? results : results.toReversed()).toEqual(answers[1])
    for (const user of recipients) expect(await totalOf(user)).toBe(1)
  })

  it('has the same key as a single publication, in both directions', async () => {
    const [publisher, ada, bob, key] = [
      await operator(SCOPE),
      await signUp('ada'),
      await signUp('bob'),
      aKey(),
    ]
    const more = { expires_in: 3_600 }
    const single = made(records.Notification, await publish(publisher, gift(ada, more), key), 201)
    const results = resultsOf(await publishBatch(publisher, toAll([bob, ada], more), key))
    expect(results[1]).toEqual({ user_id: ada.id, notification_id: single.id })
    const again = made(records.Notification, await publish(publisher, gift(bob, more), key), 201)
    expect(results[0]).toEqual({ user_id: bob.id, notification_id: again.id })
    expect([await totalOf(ada), await totalOf(bob)]).toEqual([1, 1])
  })

  it('tells which recipient a key was used up for, and notifies the others', async () => {
    const publisher = await operator(SCOPE)
    const [ada, bob, key] = [await signUp('ada'), await signUp('bob'), aKey()]
    await publish(publisher, gift(ada, { data: { gift_id: 'shield' } }), key)
    const results = resultsOf(await publishBatch(publisher, toAll([ada, bob]), key))
    expect(results).toEqual([
      { user_id: ada.id, code: 'IDEMPOTENCY_KEY_REUSED' },
      { user_id: bob.id, notification_id: (await inbox(bob)).notifications[0]?.id },
    ])
    expect([await totalOf(ada), await totalOf(bob)]).toEqual([1, 1])
  })

  it('has another key from another publisher', async () => {
    const [ada, key] = [await signUp('ada'), aKey()]
    const ids = new Set<string | undefined>()
    for (const publisher of [await operator(SCOPE), await operator(SCOPE)])
      ids.add(resultsOf(await publishBatch(publisher, toAll([ada]), key))[0]?.notification_id)
    expect([ids.size, await totalOf(ada)]).toEqual([2, 2])
  })

  it('sends signals, of which nothing is kept', async () => {
    const [publisher, recipients] = [await operator(SCOPE), await users(3)]
    const phones = await Promise.all(recipients.map((user) => Device.of(user)))
    const results = resultsOf(await publishBatch(publisher, toAll(recipients, { persistent: false }), aKey()))
    for (const [place, phone] of phones.entries()) {
      await phone.settled()
      expect(phone.signals).toMatchObject([{ id: results[place]?.notification_id, ...message }])
    }
    for (const user of recipients) expect(await totalOf(user)).toBe(0)
  })
})

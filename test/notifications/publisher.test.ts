import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { Device } from '../support/device.ts'
import { tokenFor } from '../support/identities.ts'
import { data, gift, inbox, to } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { operator, signUp, User } from '../support/user.ts'

const refusal = (code: string) => ({ error: { name: 'ApiError', message: code, code } })
const aKey = () => ({ idempotency_key: crypto.randomUUID() })

describe('a Worker that is bound to NotificationPublisher', () => {
  it('puts a notification into a user’s inbox, and is answered with it and no member more', async () => {
    const ada = await signUp('ada')
    for (const type of ['friend_request', 'friend_accepted']) {
      const { notification } = await env.SOCIAL.publish(to(ada, { type }))
      expect(notification).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type,
        data,
        state: 'unread',
        created_at: expect.closeTo(Date.now() / 1_000, -2),
      })
      expect((await inbox(ada)).notifications[0]).toEqual(notification)
    }
    expect(await inbox(ada)).toMatchObject({ total: 2, unread: 2 })
  })

  it('is held to the rules of POST /v1/notifications, and told the code of what it broke', async () => {
    const ada = await signUp('ada')
    const social = await operator('notifications:publish')
    const publications: unknown[] = [
      ...[undefined, null, 7, '', 'x'.repeat(129), 'a\u0000b', 'a\ud800'].map((user_id) =>
        to(ada, { user_id }),
      ),
      ...[undefined, null, 'other', ['friend_request']].map((type) => to(ada, { type })),
      ...[undefined, null, 'data', []].map((data) => to(ada, { data })),
      ...[undefined, null, '7', 1.5, 2 ** 53].map((from_user_id) =>
        to(ada, { data: { ...data, from_user_id } }),
      ),
      ...[undefined, 7, '', 'x'.repeat(256), 'a\ud800'].map((from_display_name) =>
        to(ada, { data: { ...data, from_display_name } }),
      ),
    ]
    for (const publication of publications) {
      const said = JSON.stringify(publication)
      expect(await env.SOCIAL.publish(publication), said).toEqual(refusal('VALIDATION_FAILED'))
      const sent = await social.request('POST', '/notifications', { json: publication })
      expect(sent, said).toBeProblem(400, 'VALIDATION_FAILED')
    }
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it('is refused what JSON could not even say', async () => {
    const ada = await signUp('ada')
    for (const nothing of [undefined, null, 7, 'x', [], new Map([['user_id', ada.id]]), new Date(0)])
      expect(await env.SOCIAL.publish(nothing)).toEqual(refusal('VALIDATION_FAILED'))
    for (const from_user_id of [7n, Number.NaN, Number.POSITIVE_INFINITY, new Date(7)])
      expect(await env.SOCIAL.publish(to(ada, { data: { ...data, from_user_id } }))).toEqual(
        refusal('VALIDATION_FAILED'),
      )
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it('may send data of 64 levels, and no more: nobody’s inbox gets what a game engine does not read', async () => {
    const ada = await signUp('ada')
    const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
    const own = (levels: number) => to(ada, { type: 'shop.gift', data: nested(levels) })
    expect(await env.SOCIAL.publish(own(64))).toMatchObject({ notification: { type: 'shop.gift' } })
    for (const levels of [65, 400])
      expect(await env.SOCIAL.publish(own(levels)), `${levels}`).toEqual(refusal('VALIDATION_FAILED'))
    expect(await inbox(ada)).toMatchObject({ total: 1 })
  })

  it('is asked for keys of 1 to 255 characters, and for no options at all', async () => {
    const ada = await signUp('ada')
    for (const idempotency_key of ['', 'x'.repeat(256)])
      expect(await env.SOCIAL.publish(to(ada), { idempotency_key })).toEqual(refusal('VALIDATION_FAILED'))
    expect(await inbox(ada)).toMatchObject({ total: 0 })
    for (const options of [
      undefined,
      {},
      { idempotency_key: undefined },
      { idempotency_key: 'x'.repeat(255) },
    ])
      expect(await env.SOCIAL.publish(to(ada), options)).toMatchObject({ notification: { data } })
    expect(await inbox(ada)).toMatchObject({ total: 4 })
  })

  it.each([
    [null],
    ['key'],
    [{ idempotency_key: null }],
    [{ idempotency_key: 7 }],
    [{ idempotency_key: ['key'] }],
    [{ idempotency_key: { length: 3 } }],
  ])('is refused options of other types: %j', async (options) => {
    const ada = await signUp('ada')
    const outcome = await env.SOCIAL.publish(to(ada), options)
    expect(outcome, JSON.stringify(outcome)).toEqual(refusal('VALIDATION_FAILED'))
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it('notifies once with one key, however often it calls at the same time', async () => {
    const [ada, key] = [await signUp('ada'), aKey()]
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => env.SOCIAL.publish(to(ada), key)))
    const list = await ada.get('/notifications')
    expect(list.headers.get('X-Inbox-Seq'), 'one event').toBe('1')
    const { notifications, total } = made(records.NotificationPage, list, 200)
    expect(total).toBe(1)
    for (const outcome of outcomes) expect(outcome).toEqual({ notification: notifications[0] })
  })

  it('is answered as the first time after the notification was read, and deleted', async () => {
    const [ada, key] = [await signUp('ada'), aKey()]
    const first = await env.SOCIAL.publish(to(ada), key)
    await ada.request('POST', '/notifications/read')
    expect(await env.SOCIAL.publish(to(ada), key)).toEqual(first)
    await ada.request('DELETE', `/notifications/${first.notification?.id}`)
    expect(await env.SOCIAL.publish(to(ada), key)).toEqual(first)
    expect(await inbox(ada)).toEqual({ notifications: [], total: 0, unread: 0 })
  })

  it('is told IDEMPOTENCY_KEY_REUSED for another notification with the key', async () => {
    const [ada, key] = [await signUp('ada'), aKey()]
    await env.SOCIAL.publish(to(ada), key)
    const other = to(ada, { type: 'friend_accepted' })
    expect(await env.SOCIAL.publish(other, key)).toEqual(refusal('IDEMPOTENCY_KEY_REUSED'))
    expect(await inbox(ada)).toMatchObject({ total: 1 })
  })

  it('has keys of its own: other Workers, other recipients and whoever has its name as a subject have others', async () => {
    const [ada, bob, key] = [await signUp('ada'), await signUp('bob'), aKey()]
    const json = to(ada, { type: 'friend_accepted' })
    await env.SOCIAL.publish(to(ada), key)
    expect(await env.GUILDS.publish(json, key)).toMatchObject({ notification: { type: 'friend_accepted' } })
    expect(await env.SOCIAL.publish(to(bob, { type: 'friend_accepted' }), key)).toHaveProperty('notification')
    const namesake = new User('social', await tokenFor('social', { scope: 'notifications:publish' }))
    const headers = { 'Idempotency-Key': key.idempotency_key }
    expect((await namesake.request('POST', '/notifications', { json, headers })).status).toBe(201)
    expect([(await inbox(ada)).total, (await inbox(bob)).total]).toEqual([3, 1])
  })
})

describe('a Worker that publishes types of the game’s own', () => {
  it('has their data kept as they are, with the members of POST /v1/notifications', async () => {
    const ada = await signUp('ada')
    const kept = { a: [null, true, { b: 'x' }], 'a "name"': '\ud800\u0000' }
    const { notification } = await env.SOCIAL.publish(gift(ada, { data: kept, expires_in: 60 }))
    expect(notification).toMatchObject({ type: 'shop.gift', data: kept, state: 'unread' })
    expect((await inbox(ada)).notifications).toEqual([notification])
  })

  it('leaves out a member that is undefined, as JSON does', async () => {
    const ada = await signUp('ada')
    await env.SOCIAL.publish(gift(ada, { data: { gift_id: 'x', text: undefined } }))
    expect((await inbox(ada)).notifications).toMatchObject([{ data: { gift_id: 'x' } }])
  })

  it('sends signals, of which nothing is kept, whatever key they have', async () => {
    const [ada, key] = [await signUp('ada'), aKey()]
    const phone = await Device.of(ada)
    const signal = gift(ada, { persistent: false })
    const sent = [await env.SOCIAL.publish(signal, key), ...(await publishedAll([signal, signal], key))]
    await phone.settled()
    expect(phone.signals.map((notification) => ({ notification }))).toEqual(sent)
    expect(phone.events).toEqual([])
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it('is refused data that are not of JSON, too long or nested too deep, and times that are wrong', async () => {
    const ada = await signUp('ada')
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const million = Array.from({ length: 1_000_000 }, () => 0)
    let deep: unknown[] = []
    for (let level = 0; level < 300; level++) deep = [deep, 'x'.repeat(20)]
    const data: unknown[] = [
      ...[[], new Date(0), new Map(), new Uint8Array(2), 'x', null],
      ...[7n, Number.NaN, Number.POSITIVE_INFINITY, new Date(0), new Map(), new Set([1])].map((a) => ({ a })),
      ...[[undefined], circle, [million, million], deep, 'x'.repeat(5_000)].map((a) => ({ a })),
    ]
    for (const [place, wrong] of data.entries())
      expect(await env.SOCIAL.publish(gift(ada, { data: wrong })), `${place}`).toEqual(
        refusal('VALIDATION_FAILED'),
      )
    for (const different of [
      { expires_in: 59 },
      { expires_in: 91 * 86_400 },
      { persistent: 'no' },
      { type: 'x' },
    ])
      for (const outcome of [
        await env.SOCIAL.publish(gift(ada, different)),
        await env.SOCIAL.publishAll([gift(ada), gift(ada, different)]),
      ])
        expect(outcome).toEqual(refusal('VALIDATION_FAILED'))
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  async function publishedAll(...call: Parameters<typeof env.SOCIAL.publishAll>) {
    const outcomes = await env.SOCIAL.publishAll(...call)
    if (!Array.isArray(outcomes)) throw new Error(JSON.stringify(outcomes))
    return outcomes
  }
})

describe('a Worker that publishes to many users in one call', () => {
  it('puts one into each inbox, and is answered in their order', async () => {
    const users = await Promise.all(Array.from({ length: 30 }, () => signUp()))
    const answer = await env.SOCIAL.publishAll(users.map((user) => to(user)))
    const expected = await Promise.all(users.map(async (user) => (await inbox(user)).notifications))
    expect(answer).toEqual(expected.map(([notification]) => ({ notification })))
    for (const notifications of expected) expect(notifications).toHaveLength(1)
  })

  it('notifies each once with one key, however often it calls, and tells which recipient a key was used up for', async () => {
    const [ada, bob, eve] = [await signUp('ada'), await signUp('bob'), await signUp('eve')]
    const key = aKey()
    const { notification } = await env.SOCIAL.publish(to(ada, { type: 'friend_accepted' }), key)
    const all = [to(ada), to(bob), to(eve)]
    const answers = [await env.SOCIAL.publishAll(all, key), await env.SOCIAL.publishAll(all, key)]
    const [bobs, eves] = [await inbox(bob), await inbox(eve)]
    const expected = [
      { error: 'IDEMPOTENCY_KEY_REUSED' },
      { notification: bobs.notifications[0] },
      { notification: eves.notifications[0] },
    ]
    expect(answers).toEqual([expected, expected])
    expect((await inbox(ada)).notifications).toEqual([notification])
    expect([bobs.total, eves.total]).toEqual([1, 1])
  })

  it('publishes nothing when one of them is wrong, or there are more than 1,000', async () => {
    const ada = await signUp('ada')
    const wrong: unknown[] = [
      [to(ada), to(ada, { type: 'other' })],
      [to(ada), null],
      to(ada),
      undefined,
      Array.from({ length: 1_001 }, () => to(ada)),
    ]
    for (const inputs of wrong)
      expect(await env.SOCIAL.publishAll(inputs)).toEqual(refusal('VALIDATION_FAILED'))
    expect(await env.SOCIAL.publishAll([to(ada)], { idempotency_key: '' })).toEqual(
      refusal('VALIDATION_FAILED'),
    )
    expect(await env.SOCIAL.publishAll([])).toEqual([])
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })
})

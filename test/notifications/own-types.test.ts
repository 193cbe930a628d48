import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { Device } from '../support/device.ts'
import { data, gift, inbox, publish, to } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { operator, signUp, type User } from '../support/user.ts'

const SCOPE = 'notifications:publish'
const KIB = 1_024

/** Publishes a body as it is written. */
const publishText = (publisher: User, body: string) =>
  publisher.request('POST', '/notifications', { body, headers: { 'Content-Type': 'application/json' } })
/** The JSON of a publication whose `data` is written as given. */
const withData = (user: User, json: string) =>
  `{"user_id":${JSON.stringify(user.id)},"type":"shop.gift","data":${json}}`
/** An object whose JSON has this many bytes: each character of `filling` has as many as `width` says. */
function objectOf(bytes: number, filling: string, width: number): object {
  const empty = JSON.stringify({ text: '' }).length
  const count = Math.floor((bytes - empty) / width)
  return { text: filling.repeat(count) + 'x'.repeat(bytes - empty - count * width) }
}

describe('a type of the game’s own', () => {
  it.each(['shop.gift', 'a.b', 'guild_2.invite_3.sent', `${'a'.repeat(31)}.${'b'.repeat(32)}`])(
    'has parts with a dot between them, and up to 64 characters: %s',
    async (type) => {
      const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
      const published = await publish(publisher, gift(ada, { type }))
      expect(published.status, published.text).toBe(201)
      expect(published.body).toMatchObject({ type, data: { gift_id: 'golden-sword' }, state: 'unread' })
      expect((await inbox(ada)).notifications).toEqual([published.body])
    },
  )

  it.each([
    ...['shop', 'gift', 'notification', 'ready', 'signal', '.gift', 'shop.', 'shop..gift', '.'],
    ...['Shop.gift', 'shop.Gift', '1shop.gift', 'shop.2', 'shop._gift', 'shop-gift.sent', 'shop gift.x'],
    ...[
      'shop.gift\n',
      'sh\u00f6p.gift',
      'shop.gift\u0000',
      `${'a'.repeat(32)}.${'b'.repeat(32)}`,
      '__proto__.x',
    ],
  ])('is refused when it is written in another way: %j', async (type) => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const answer = await publish(publisher, gift(ada, { type }))
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', '/type')
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it('lets no data of its own into the two types of the contract', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    for (const type of ['friend_request', 'friend_accepted']) {
      const refused = await publish(publisher, to(ada, { type, data: { gift_id: 'x' } }))
      expect(refused).toBeProblem(400, 'VALIDATION_FAILED', '/data/from_user_id')
      const more = to(ada, { type, data: { ...data, more: 1 } })
      const kept = made(records.Notification, await publish(publisher, more), 201)
      expect(kept.data).toEqual(data)
    }
  })
})

describe('the data of a type of the game’s own', () => {
  const kept: [title: string, json: string][] = [
    ['an empty object', '{}'],
    ['every kind of value', '{"a":null,"b":true,"c":[1,-2.5,"x",{"d":[]}],"e":{"":{}}}'],
    [
      'names that objects have in JavaScript',
      '{"__proto__":{"x":1},"constructor":1,"toJSON":2,"hasOwnProperty":3}',
    ],
    ['a prototype in a member', '{"a":{"__proto__":"x"},"b":[{"__proto__":null}]}'],
    ['the members of the contract’s types', '{"from_user_id":"none","from_display_name":""}'],
    ['lone surrogates', '{"a":"\\udc00x","b":["\\ud83d"]}'],
    ['NUL and control characters', '{"a\\u0000b":"\\u0000\\u001f\u007f\u202e"}'],
    [
      'numbers as large and as small as doubles',
      '{"a":1e+300,"b":5e-324,"c":-1.7976931348623157e+308,"d":0.1}',
    ],
    ['lists of 64 levels with the object', `{"a":${'['.repeat(63)}${']'.repeat(63)}}`],
    ['objects of 64 levels', `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`],
    ['a bracket in a text, 100 times', `{"a":"${'{['.repeat(100)}\\"${'['.repeat(100)}"}`],
  ]
  it.each(kept)('comes back as it was sent: %s', async (_, json) => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const phone = await Device.of(ada)
    const published = await publishText(publisher, withData(ada, json))
    expect(published.status, published.text).toBe(201)
    expect(published.text).toContain(`"data":${json}`)
    expect((await ada.get('/notifications')).text).toContain(`"data":${json}`)
    await phone.settled()
    const again = await (await Device.of(ada, { after: 0 })).settled()
    for (const device of [phone, again]) expect(JSON.stringify(device.events)).toContain(`"data":${json}`)
  })

  it.each([
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"{}"'],
    ['a number', '7'],
    ['a number beyond all doubles', '{"a":[1e400]}'],
    ['a number below all doubles', '{"a":{"b":-1e999}}'],
  ])('is refused as %s', async (_, json) => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const answer = await publishText(publisher, withData(ada, json))
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED', '/data')
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it.each([
    ['lists', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['lists of 65 levels with the object', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['objects of 65 levels', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
  ])('is refused when it is nested too deep: %s', async (_, json) => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const answer = await publishText(publisher, withData(ada, json))
    expect(answer.status, answer.text).toBe(400)
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it.each([
    ['x', 1],
    ['\u00e9', 2],
    ['\u20ac', 3],
    ['\u{1F600}', 4],
    ['"', 2],
    ['\ud800', 6],
  ])('has at most 4 KiB in JSON, in UTF-8, when it is full of %j', async (filling, width) => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const full = objectOf(4 * KIB, filling, width)
    const more = objectOf(4 * KIB + 1, filling, width)
    const refused = await publish(publisher, gift(ada, { data: more }))
    expect(refused).toBeProblem(400, 'VALIDATION_FAILED', '4096 bytes')
    expect(refused.text).toContain('4097')
    const published = await publish(publisher, gift(ada, { data: full }))
    expect(published.status, published.text).toBe(201)
    expect((await inbox(ada)).notifications.map(({ data }) => data)).toEqual([full])
  })

  it('is measured without the white space that it is sent with', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const spaced = `{${' '.repeat(5_000)}"a" : 1\n}`
    expect((await publishText(publisher, withData(ada, spaced))).body).toMatchObject({ data: { a: 1 } })
  })

  it('makes the same publication again under a key only when it is the same', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const key = crypto.randomUUID()
    const first = await publish(publisher, gift(ada), key)
    expect((await publish(publisher, gift(ada), key)).text).toBe(first.text)
    const other = gift(ada, { data: { gift_id: 'golden-sword', more: 1 } })
    expect(await publish(publisher, other, key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    expect(await inbox(ada)).toMatchObject({ total: 1 })
  })
})

describe('GET /v1/notifications with a filter', () => {
  /** A user with six notifications, of which those at odd places are read. Newest first. */
  async function mixed() {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    for (const type of ['shop.gift', 'guild.invite', 'shop.gift'])
      for (const body of [gift(ada, { type }), to(ada)])
        expect((await publish(publisher, body)).status).toBe(201)
    const all = (await inbox(ada)).notifications
    const notification_ids = all.filter((_, place) => place % 3 === 1).map(({ id }) => id)
    await ada.request('POST', '/notifications/read', { json: { notification_ids } })
    return { ada, all: (await inbox(ada)).notifications }
  }
  const page = async (user: User, query: string) =>
    made(records.NotificationPage, await user.get(`/notifications?${query}`), 200)

  it('lists one state, one type, or both, newest first, and counts the whole inbox', async () => {
    const { ada, all } = await mixed()
    for (const state of [undefined, 'unread', 'read'])
      for (const type of [undefined, 'shop.gift', 'guild.invite', 'friend_request', 'no.such']) {
        const query = new URLSearchParams({ ...(state && { state }), ...(type && { type }) }).toString()
        const expected = all.filter((one) => (!state || one.state === state) && (!type || one.type === type))
        expect(await page(ada, query), query).toEqual({ notifications: expected, total: 6, unread: 4 })
      }
  })

  it('skips and limits what the filter leaves', async () => {
    const { ada, all } = await mixed()
    const friends = all.filter(({ type }) => type === 'friend_request')
    const places = [0, 1, 2, 3].map((offset) => page(ada, `type=friend_request&limit=1&offset=${offset}`))
    const found = (await Promise.all(places)).map(({ notifications }) => notifications)
    expect(found).toEqual([...friends.map((friend) => [friend]), []])
  })

  it('lists none as unread after all were read', async () => {
    const { ada } = await mixed()
    await ada.request('POST', '/notifications/read')
    expect(await page(ada, 'state=unread')).toEqual({ notifications: [], total: 6, unread: 0 })
    expect((await page(ada, 'state=read&type=shop.gift')).notifications).toHaveLength(2)
  })

  it.each([
    ...['', 'UNREAD', 'all', 'unread,read', 'read&state=read'].map((value) => ['state', value]),
    ...['', 'gift', 'Shop.gift', 'shop.', '.', 'shop.*', `${'a'.repeat(40)}.${'b'.repeat(40)}`].map(
      (value) => ['type', value],
    ),
    ['type', 'shop.gift&type=guild.invite'],
  ])('refuses %s=%s', async (name, value) => {
    const ada = await signUp('ada')
    expect(await ada.get(`/notifications?${name}=${value}`)).toBeProblem(400, 'VALIDATION_FAILED', `/${name}`)
  })
})

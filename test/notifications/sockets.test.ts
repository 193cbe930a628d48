import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { later } from '../support/announcements.ts'
import { send } from '../support/answer.ts'
import { bytes } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { Device, inboxOf, publishTo } from '../support/device.ts'
import { tokenFor } from '../support/identities.ts'
import { alarmOf, ring } from '../support/inbox.ts'
import { chances } from '../support/race.ts'
import { upgrade } from '../support/service.ts'
import { signUp, User } from '../support/user.ts'

const socketPath = '/notifications/ws'
const now = () => Math.floor(Date.now() / 1_000)
/** 1, 2, … up to `last`, from `first` on. */
const range = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)

const readSome = (user: User, ...notification_ids: string[]) =>
  user.request('POST', '/notifications/read', { json: { notification_ids } })
const readAll = (user: User) => user.request('POST', '/notifications/read')
const remove = (user: User, id: string) => user.request('DELETE', `/notifications/${id}`)
const evict = (user: User) => evictDurableObject(inboxOf(user), { webSockets: 'hibernate' })
/** Evicts the object; there may be none at the moment. */
const evictIfRunning = (user: User) =>
  evict(user).catch((error: unknown) => {
    if (!String(error).includes('not currently running')) throw error
  })
/** The same user, signed in for so many seconds only. */
async function forSeconds(user: User, seconds: number): Promise<{ user: User; expires_at: number }> {
  const expires_at = now() + seconds
  return { user: new User(user.id, await tokenFor(user.id, { exp: expires_at })), expires_at }
}

/** Publishes `count` notifications straight into the object. */
const fill = (user: User, count: number) =>
  runInDurableObject(inboxOf(user), (inbox) => {
    const data = { from_user_id: 7, from_display_name: 'Bob' }
    const rules = { now: now(), retention_days: 90, max_notifications: 10_000 }
    for (let i = 0; i < count; i++) inbox.publish({ user_id: 'ada', type: 'friend_request', data }, rules)
  })

/** Kills the object, and all that it had in memory. */
const kill = (user: User) =>
  runInDurableObject(inboxOf(user), (_, ctx) => ctx.abort('killed')).catch((error: unknown) => {
    if (!String(error).includes('killed')) throw error
  })

/** Changes of every kind to an inbox: six events. */
async function changeInEveryWay(user: User): Promise<void> {
  const first = await publishTo(user)
  const second = await publishTo(user)
  await readSome(user, first.id, 'unknown')
  const third = await publishTo(user)
  await remove(user, second.id)
  await readAll(user)
  expect((await remove(user, third.id)).status).toBe(204)
}
const CHANGES = 7

/** What a device may have heard in a race: `ready`, and then each event up to `last`, once and in order. */
function expectUnbroken(device: Device, last: number): void {
  expect(device.seqs).toEqual(range(device.ready.seq + 1, last))
}

afterEach(() => vi.useRealTimers())

describe('the upgrade', () => {
  it('is required, once the token is found good', { tags: 'runtime' }, async () => {
    const ada = await signUp('ada')
    const refused = await ada.get(socketPath)
    expect(refused).toBeProblem(426, 'UPGRADE_REQUIRED')
    expect(refused.headers.get('Upgrade')).toBe('websocket')
    expect(await ada.get(socketPath, { Upgrade: 'h2c' })).toBeProblem(426, 'UPGRADE_REQUIRED')
    expect(await send('GET', `/v1${socketPath}`)).toBeProblem(401, 'UNAUTHENTICATED')
    const upgraded = { headers: { Upgrade: 'websocket' } }
    expect(await send('GET', `/v1${socketPath}`, upgraded)).toBeProblem(401, 'UNAUTHENTICATED')
    const late = new User(ada.id, await tokenFor(ada.id, { exp: now() - 1 }))
    expect(await late.request('GET', socketPath, upgraded)).toBeProblem(401, 'UNAUTHENTICATED')
  })

  it('takes the token in Authorization, with and without the subprotocol', async () => {
    const ada = await signUp('ada')
    const headers = { Authorization: `Bearer ${ada.token}` }
    const plain = await upgrade(headers)
    expect(plain.status).toBe(101)
    expect(plain.headers.get('Sec-WebSocket-Protocol')).toBeNull()
    await Device.on(ada, plain)
    const named = await upgrade({ ...headers, 'Sec-WebSocket-Protocol': 'chat, notifications.v1' })
    expect(named.status).toBe(101)
    expect(named.headers.get('Sec-WebSocket-Protocol')).toBe('notifications.v1')
    await Device.on(ada, named)
  })

  it.each([
    ['notifications.v1, bearer.TOKEN'],
    ['notifications.v1,bearer.TOKEN'],
    ['bearer.TOKEN, notifications.v1'],
  ])('takes the token in subprotocols, %s, and tells it to nobody', async (protocols) => {
    const ada = await signUp('ada')
    const offered = protocols.replace('TOKEN', ada.token)
    const answer = await upgrade({ 'Sec-WebSocket-Protocol': offered })
    expect(answer.status).toBe(101)
    expect(answer.headers.get('Sec-WebSocket-Protocol')).toBe('notifications.v1')
    expect(JSON.stringify([...answer.headers])).not.toContain(ada.token)
    const phone = await Device.on(ada, answer)
    await publishTo(ada)
    expect((await phone.settled()).seqs).toEqual([1])
    const inObject = await runInDurableObject(inboxOf(ada), (_, ctx) =>
      JSON.stringify(ctx.getWebSockets().map((socket) => socket.deserializeAttachment())),
    )
    expect(inObject).not.toContain(ada.token)
  })

  it.each([
    'chat',
    'bearer.TOKEN',
    'Notifications.v1, bearer.TOKEN',
    'notifications.v2, bearer.TOKEN',
    'notifications.v1x',
  ])('refuses subprotocols without its own: %s', async (protocols) => {
    const ada = await signUp('ada')
    const headers = {
      Upgrade: 'websocket',
      'Sec-WebSocket-Protocol': protocols.replace('TOKEN', ada.token),
    }
    const refused = await ada.get(socketPath, headers)
    expect(refused).toBeProblem(400, 'VALIDATION_FAILED', 'notifications.v1')
    expect(refused.text).not.toContain(ada.token)
  })

  it('refuses a bad token among the subprotocols', async () => {
    const { token } = await signUp('ada')
    for (const bad of [`${token}x`, 'x', '', `${token.slice(0, -8)}AAAAAAAA`]) {
      const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': `notifications.v1, bearer.${bad}` }
      expect(await send('GET', `/v1${socketPath}`, { headers })).toBeProblem(401, 'UNAUTHENTICATED')
    }
  })

  it('never takes a token from the URL', async () => {
    const { token } = await signUp('ada')
    for (const name of ['token', 'access_token', 'bearer', 'authorization']) {
      const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': 'notifications.v1' }
      const refused = await send('GET', `/v1${socketPath}?${name}=${token}`, { headers })
      expect(refused).toBeProblem(401, 'UNAUTHENTICATED')
      expect(refused.text).not.toContain(token)
    }
  })

  it('takes a seq beyond all numbers that there are as one from the future', async () => {
    const ada = await signUp()
    const answer = await upgrade({ Authorization: `Bearer ${ada.token}` }, `?after=${'9'.repeat(30)}`)
    const device = await Device.on(ada, answer)
    expect(device.ready).toMatchObject({ seq: 0, data: { recovered: false } })
  })

  it.each(['', 'x', '-1', '1.5', '1e3', '0x1', '%201', 'null'])(
    'refuses an `after` that is no seq: %j',
    async (after) => {
      const ada = await signUp('ada')
      const refused = await ada.get(`${socketPath}?after=${after}`, { Upgrade: 'websocket' })
      expect(refused).toBeProblem(400, 'VALIDATION_FAILED', 'after')
    },
  )

  it('carries a request id, as every answer does', { tags: 'runtime' }, async () => {
    const ada = await signUp('ada')
    const answer = await upgrade({ Authorization: `Bearer ${ada.token}` })
    await Device.on(ada, answer)
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[\w-]{8,}$/)
  })
})

describe('the first message', () => {
  it('tells how the inbox stands, and that nothing is made up for', async () => {
    const ada = await signUp('ada')
    const early = await Device.of(ada)
    expect(early.ready).toEqual({ type: 'ready', seq: 0, unread: 0, data: { recovered: false } })
    await publishTo(ada)
    const { id } = await publishTo(ada)
    await readSome(ada, id)
    const late = await (await Device.of(ada)).settled()
    expect(late.ready).toEqual({ type: 'ready', seq: 3, unread: 1, data: { recovered: false } })
    expect(late.events).toEqual([])
  })

  it('is followed by what came after `after`, as it was sent, and then by what is new', async () => {
    const ada = await signUp('ada')
    const witness = await Device.of(ada)
    await changeInEveryWay(ada)
    const { events } = await witness.settled()
    expect(witness.seqs).toEqual(range(1, CHANGES))
    const devices = []
    for (const after of range(0, CHANGES)) {
      const device = await (await Device.of(ada, { after })).settled()
      const unread = events.find(({ seq }) => seq === after)?.unread ?? 0
      expect(device.ready).toEqual({ type: 'ready', seq: after, unread, data: { recovered: true } })
      expect(device.events).toEqual(events.slice(after))
      devices.push(device)
    }
    await publishTo(ada)
    const latest = (await witness.settled()).events.slice(CHANGES)
    expect(latest).toHaveLength(1)
    for (const device of devices)
      expect((await device.settled()).events).toEqual([...events.slice(device.ready.seq), ...latest])
  })

  it('tells nothing but itself on an inbox that nothing has come to, after 0', async () => {
    const ada = await signUp('ada')
    const phone = await (await Device.of(ada, { after: 0 })).settled()
    expect(phone.ready).toEqual({ type: 'ready', seq: 0, unread: 0, data: { recovered: true } })
    expect(phone.events).toEqual([])
  })

  it('never claims to make up for what is still to come', async () => {
    const ada = await signUp('ada')
    await publishTo(ada)
    for (const after of [2, 1_000, 999_999_999_999_999]) {
      const phone = await (await Device.of(ada, { after })).settled()
      expect(phone.ready).toEqual({ type: 'ready', seq: 1, unread: 1, data: { recovered: false } })
      expect(phone.events).toEqual([])
    }
    const stranger = await Device.of(await signUp('stranger'), { after: 1 })
    expect(stranger.ready).toEqual({ type: 'ready', seq: 0, unread: 0, data: { recovered: false } })
  })

  it('tells the last 1,000 events, and says when one more has been missed', async () => {
    const ada = await signUp('ada')
    await fill(ada, 1_003)
    const { id } = await publishTo(ada)
    await readSome(ada, id)
    const last = 1_005
    for (const after of [last - 1_000, last - 999]) {
      const phone = await (await Device.of(ada, { after })).settled()
      expect(phone.ready).toEqual({ type: 'ready', seq: after, unread: after, data: { recovered: true } })
      expectUnbroken(phone, last)
      expect(phone.events.at(-1)?.unread).toBe(1_003)
    }
    for (const after of [last - 1_001, 1, 0]) {
      const phone = await (await Device.of(ada, { after })).settled()
      expect(phone.ready).toEqual({ type: 'ready', seq: last, unread: 1_003, data: { recovered: false } })
      expect(phone.events).toEqual([])
    }
  })
})

describe('a change to an inbox', () => {
  it('reaches each of the user’s sockets once, in order, with the next seq, and nobody else’s', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const devices = [await Device.of(ada), await Device.of(ada), await Device.of(ada, { after: 0 })]
    const stranger = await Device.of(bob)
    const [first, second, third] = [await publishTo(ada), await publishTo(ada), await publishTo(ada)]
    await readSome(ada, second.id, 'unknown', second.id)
    await remove(ada, first.id)
    await remove(ada, second.id)
    await readAll(ada)
    const events = [
      { type: 'notification', seq: 1, unread: 1, data: first },
      { type: 'notification', seq: 2, unread: 2, data: second },
      { type: 'notification', seq: 3, unread: 3, data: third },
      { type: 'notifications_read', seq: 4, unread: 2, data: { notification_ids: [second.id] } },
      { type: 'notification_deleted', seq: 5, unread: 1, data: { notification_id: first.id } },
      { type: 'notification_deleted', seq: 6, unread: 1, data: { notification_id: second.id } },
      { type: 'notifications_read', seq: 7, unread: 0, data: { notification_ids: null } },
    ]
    for (const device of devices) expect((await device.settled()).events).toEqual(events)
    expect((await stranger.settled()).events).toEqual([])
    expect((await Device.of(bob)).ready.seq).toBe(0)
  })

  it('is waited for by a device that has nothing to do', async () => {
    const ada = await signUp('ada')
    const phone = await Device.of(ada)
    const rings = phone.next()
    const published = await publishTo(ada)
    expect(await rings).toEqual({ type: 'notification', seq: 1, unread: 1, data: published })
  })

  it('is told to nobody when nothing changed', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const { id } = await publishTo(ada)
    await readAll(ada)
    const phone = await Device.of(ada)
    expect((await readAll(ada)).body).toEqual({ marked_count: 0 })
    expect((await readSome(ada, id)).body).toEqual({ marked_count: 0 })
    expect((await readSome(bob, id)).body).toEqual({ marked_count: 0 })
    expect(await remove(bob, id)).toBeProblem(404, 'NOTIFICATION_NOT_FOUND')
    expect((await phone.settled()).events).toEqual([])
    expect((await Device.of(ada)).ready.seq).toBe(2)
  })

  it('is told also when age or the size limit made it', async () => {
    const ada = await signUp('ada')
    const phone = await Device.of(ada)
    const type = 'friend_accepted'
    const first = await publishTo(ada, 'Bob', { type })
    const ctx = contextOf(ada.id, { now_ms: Date.now() - 91 * 24 * 3_600_000 }, { MAX_NOTIFICATIONS: 1 })
    const old = await publishTo(ada, 'Bob', { type, ctx })
    await runDurableObjectAlarm(inboxOf(ada))
    expect((await phone.settled()).events).toEqual([
      { type: 'notification', seq: 1, unread: 1, data: first },
      { type: 'notification', seq: 2, unread: 2, data: old },
      { type: 'notification_deleted', seq: 3, unread: 1, data: { notification_id: first.id } },
      { type: 'notification_deleted', seq: 4, unread: 0, data: { notification_id: old.id } },
    ])
  })
})

describe('an object that hibernates', () => {
  it('keeps its sockets, and wakes for the next change', async () => {
    const ada = await signUp('ada')
    const devices = [await Device.of(ada), await Device.of(ada)]
    for (const seq of range(1, 5)) {
      await evict(ada)
      await publishTo(ada)
      for (const device of devices) expect((await device.settled()).seqs).toEqual(range(1, seq))
    }
    await evict(ada)
    const late = await (await Device.of(ada, { after: 2 })).settled()
    expectUnbroken(late, 5)
  })

  it('answers ping without waking', async () => {
    const ada = await signUp('ada')
    const phone = await Device.of(ada)
    await evict(ada)
    for (let i = 0; i < 3; i++) await phone.settled()
    await expect(evict(ada), 'no instance has run since').rejects.toThrow('not currently running')
    await publishTo(ada)
    expect((await phone.settled()).seqs).toEqual([1])
    await evict(ada)
  })

  it('knows when each token expires, and which socket is the oldest', async () => {
    const ada = await signUp('ada')
    const brief = await forSeconds(ada, 60)
    const devices = []
    for (let i = 0; i < 31; i++) devices.push(await Device.of(ada))
    const mayfly = await Device.of(brief.user)
    await evict(ada)
    later(61)
    await ring(inboxOf(ada))
    expect((await mayfly.closed).code).toBe(4401)
    await evict(ada)
    const [oldest, ...others] = [...devices, await Device.of(ada), await Device.of(ada)]
    expect((await oldest?.closed)?.code).toBe(4429)
    await publishTo(ada)
    for (const device of others) expect((await device.settled()).seqs).toEqual([1])
    expect(mayfly.events).toEqual([])
  })

  it('wakes for a message that a client may not send', async () => {
    const ada = await signUp('ada')
    const [phone, other] = [await Device.of(ada), await Device.of(ada)]
    await evict(ada)
    phone.send('hello')
    expect((await phone.closed).code).toBe(1008)
    await publishTo(ada)
    expect((await other.settled()).seqs).toEqual([1])
  })
})

describe('a socket', () => {
  it('closes with 4401 when its token expires, and not before', async () => {
    const ada = await signUp('ada')
    const brief = await forSeconds(ada, 60)
    const [lasting, mayfly] = [await Device.of(ada), await Device.of(brief.user)]
    expect(await ring(inboxOf(ada)), 'an alarm was set').toBe(true)
    await publishTo(ada)
    expect((await mayfly.settled()).seqs).toEqual([1])
    expect(await alarmOf(inboxOf(ada))).toBe(brief.expires_at)
    later(61)
    await ring(inboxOf(ada))
    expect((await mayfly.closed).code).toBe(4401)
    await publishTo(ada)
    expect((await lasting.settled()).seqs).toEqual([1, 2])
    expect(mayfly.seqs).toEqual([1])
  })

  it('gets nothing after its token has expired, however late the alarm is', async () => {
    const ada = await signUp('ada')
    const brief = await forSeconds(ada, 60)
    const [lasting, mayfly] = [await Device.of(ada), await Device.of(brief.user)]
    later(60)
    await publishTo(ada)
    expect((await lasting.settled()).seqs).toEqual([1])
    expect((await mayfly.closed).code).toBe(4401)
    expect(mayfly.events).toEqual([])
  })

  it('closes each at its own time', async () => {
    const ada = await signUp('ada')
    const [longer, shorter] = [await forSeconds(ada, 90), await forSeconds(ada, 60)]
    const [second, first] = [await Device.of(longer.user), await Device.of(shorter.user)]
    later(61)
    await ring(inboxOf(ada))
    expect((await first.closed).code).toBe(4401)
    await publishTo(ada)
    expect((await second.settled()).seqs).toEqual([1])
    expect(await alarmOf(inboxOf(ada))).toBe(longer.expires_at)
    later(30)
    await ring(inboxOf(ada))
    expect((await second.closed).code).toBe(4401)
  })

  it('may have a token that lasts until the end of the century, and none that lasts longer', async () => {
    const exp = Date.UTC(2100, 0) / 1_000 - 1
    const { id } = await signUp('ada')
    const ada = new User(id, await tokenFor(id, { exp }))
    const phone = await Device.of(ada)
    expect(await runDurableObjectAlarm(inboxOf(ada))).toBe(true)
    await publishTo(ada)
    expect((await phone.settled()).seqs).toEqual([1])
    for (const longer of [exp + 1, 9_999_999_999, Number.MAX_SAFE_INTEGER]) {
      const token = await tokenFor(id, { exp: longer })
      expect((await upgrade({ Authorization: `Bearer ${token}` })).status).toBe(401)
    }
  })

  it('closes with 4429 when 32 newer ones are open', async () => {
    const ada = await signUp('ada')
    const devices: Device[] = []
    for (let i = 0; i < 32; i++) devices.push(await Device.of(ada))
    await publishTo(ada)
    for (const device of devices) expect((await device.settled()).seqs).toEqual([1])
    const newer = [await Device.of(ada), await Device.of(ada, { after: 0 })]
    const [first, second, ...others] = devices
    expect((await first?.closed)?.code).toBe(4429)
    expect((await second?.closed)?.code).toBe(4429)
    await publishTo(ada)
    for (const device of [...others, ...newer]) expect((await device.settled()).seq).toBe(2)
    expect(first?.seqs).toEqual([1])
    expect(second?.seqs).toEqual([1])
  })

  it('makes room by leaving', async () => {
    const ada = await signUp('ada')
    const devices: Device[] = []
    for (let i = 0; i < 32; i++) devices.push(await Device.of(ada))
    const [first, last] = [devices.shift(), devices.pop()]
    expect(await last?.leave()).toEqual({ code: 1000, reason: '' })
    const newer = await Device.of(ada)
    await publishTo(ada)
    for (const device of [first, ...devices, newer]) expect((await device?.settled())?.seqs).toEqual([1])
  })

  it.each<[string, number, string | Uint8Array]>([
    ['text', 1008, 'hello'],
    ['no text', 1008, ''],
    ['what is nearly a ping', 1008, 'PING'],
    ['a ping and more', 1008, 'ping '],
    ['JSON', 1008, '{"type":"ready"}'],
    ['text of 1 KiB', 1008, 'é'.repeat(512)],
    ['text of 1 KiB and one byte', 1009, `${'é'.repeat(512)}x`],
    ['text of 1 MiB', 1009, 'x'.repeat(1_048_576)],
    ['a binary ping', 1008, bytes('ping')],
    ['no bytes', 1008, new Uint8Array()],
    ['1 KiB of bytes', 1008, new Uint8Array(1_024)],
    ['1 KiB and one byte', 1009, new Uint8Array(1_025)],
  ])('that brings %s is closed with %d, and no other is', async (_, code, message) => {
    const ada = await signUp('ada')
    const [phone, other] = [await Device.of(ada), await Device.of(ada)]
    phone.send(message)
    expect((await phone.closed).code).toBe(code)
    await publishTo(ada)
    expect((await other.settled()).seqs).toEqual([1])
    expect(phone.events).toEqual([])
  })

  it.each([
    ['a megabyte at once', 1, 1024 ** 2 + 1],
    ['a megabyte on several sockets', 6, 200 * 1024],
  ])(
    'that brings %s is closed, and the user’s next ones are refused for a minute',
    async (_, count, size) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 60_000) * 60_000 })
      const [ada, bob] = [await signUp('ada'), await signUp('bob')]
      const other = await Device.of(ada)
      for (let i = 0; i < count; i++) {
        const phone = await Device.of(ada)
        phone.send(new Uint8Array(size))
        expect((await phone.closed).code).toBe(1009)
      }
      await evict(ada)
      const refused = await ada.get('/notifications/ws', { Upgrade: 'websocket' })
      expect(refused).toBeProblem(429, 'RATE_LIMITED')
      expect(refused.headers.get('Retry-After')).toBe('60')
      await publishTo(ada)
      expect((await other.settled()).seqs).toEqual([1])
      expect((await ada.get('/notifications')).body).toMatchObject({ total: 1 })
      await Device.of(bob)
      vi.setSystemTime(Date.now() + 60_000)
      await Device.of(ada)
      vi.useRealTimers()
    },
  )

  it('that brings less than a megabyte in a minute is followed by the next one', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 60_000) * 60_000 })
    const ada = await signUp('ada')
    for (let i = 0; i < 10; i++) {
      const phone = await Device.of(ada)
      phone.send('x'.repeat(200 * 1024))
      expect((await phone.closed).code).toBe(1009)
      vi.setSystemTime(Date.now() + 20_000)
    }
    vi.useRealTimers()
  })

  it('that is never read holds nobody up', async () => {
    const ada = await signUp('ada')
    const phone = await Device.of(ada)
    // Its client never accepts it, so nothing is ever taken from it.
    const silent = await upgrade({ Authorization: `Bearer ${ada.token}` })
    expect(silent.status).toBe(101)
    await fill(ada, 1_000)
    expect((await phone.settled()).seqs).toEqual(range(1, 1_000))
    expect((await (await Device.of(ada, { after: 0 })).settled()).seqs).toEqual(range(1, 1_000))
    const newer = []
    for (let i = 0; i < 32; i++) newer.push(await Device.of(ada))
    await publishTo(ada)
    for (const device of newer) expect((await device.settled()).seqs).toEqual([1_001])
  })
})

describe('a change is written first, and then told', () => {
  it('so one that fails is told to nobody', async () => {
    const ada = await signUp('ada')
    const phone = await Device.of(ada)
    const data = { from_user_id: 7, from_display_name: 'Bob' }
    const unwritable = { now: now(), retention_days: 1, max_notifications: 1, cannot: () => 'be written' }
    await expect(
      runInDurableObject(inboxOf(ada), (inbox) => {
        inbox.publish({ user_id: 'ada', type: 'friend_request', data }, unwritable)
      }),
    ).rejects.toThrow()
    expect((await phone.settled()).events).toEqual([])
    expect((await ada.get('/notifications')).body).toEqual({ notifications: [], total: 0, unread: 0 })
    await publishTo(ada)
    expect((await phone.settled()).seqs).toEqual([1])
  })

  it('so one that was written when the object was killed comes with the replay', async () => {
    const ada = await signUp('ada')
    const phone = await Device.of(ada)
    await publishTo(ada)
    await phone.settled()
    const data = { from_user_id: 7, from_display_name: 'Eve' }
    const rules = { now: now(), retention_days: 90, max_notifications: 10_000 }
    await runInDurableObject(inboxOf(ada), async (inbox, ctx) => {
      // Dies where it is about to tell its sockets.
      ctx.getWebSockets = () => {
        throw new Error('killed')
      }
      expect(() => inbox.publish({ user_id: 'ada', type: 'friend_request', data }, rules)).toThrow('killed')
      await ctx.storage.sync()
      ctx.abort('killed')
    }).catch(() => undefined)
    expect((await phone.closed).code).toBe(1006)
    expect(phone.seqs).toEqual([1])
    const again = await (await phone.back()).settled()
    expect(again.ready).toMatchObject({ seq: 1, unread: 1, data: { recovered: true } })
    expect(again.events).toMatchObject([{ seq: 2, unread: 2, data: { data } }])
  })

  it('so nothing is told that a killed object had not written', async () => {
    for (let round = 0; round < 20; round++) {
      const ada = await signUp('ada')
      const phone = await Device.of(ada)
      const data = { from_user_id: 7, from_display_name: 'Eve' }
      const rules = { now: now(), retention_days: 90, max_notifications: 10_000 }
      await runInDurableObject(inboxOf(ada), async (inbox, ctx) => {
        inbox.publish({ user_id: 'ada', type: 'friend_request', data }, rules)
        if (round % 2 === 1) await ctx.storage.sync()
        ctx.abort('killed')
      }).catch(() => undefined)
      await phone.closed
      const kept = (await Device.of(ada)).ready.seq
      expect(phone.seq).toBeLessThanOrEqual(kept)
      if (round % 2 === 1) expect(kept).toBe(1)
      const again = await (await phone.back()).settled()
      expect(again.ready.data.recovered).toBe(true)
      expect([...phone.seqs, ...again.seqs]).toEqual(range(1, kept))
    }
  })
})

// Rounds with sockets by the dozen take long on a busy machine.
describe('a device misses nothing, and hears nothing twice', { timeout: 120_000 }, () => {
  it('while others publish and it connects, with and without `after`', () =>
    chances({ count: 15 }, async (round) => {
      const ada = await signUp('ada')
      await fill(ada, round.seed % 5)
      const before = round.seed % 5
      const publish = () => publishTo(ada).then(() => undefined)
      const connect = (after?: number) => () => Device.of(ada, { after })
      const outcomes = await round.race<Device | undefined>([
        ...Array.from({ length: 6 }, () => publish),
        connect(),
        connect(0),
        connect(before),
        connect(),
      ])
      const devices = outcomes.flatMap(({ answer }) => (answer instanceof Device ? [answer] : []))
      expect(devices).toHaveLength(4)
      for (const device of devices) expectUnbroken(await device.settled(), before + 6)
    }))

  it('while others publish and the object is evicted', () =>
    chances({ count: 15 }, async (round) => {
      const ada = await signUp('ada')
      const witness = await Device.of(ada)
      const publish = () => publishTo(ada).then(() => undefined)
      const outcomes = await round.race<Device | undefined>([
        publish,
        publish,
        publish,
        () => evictIfRunning(ada).then(() => undefined),
        () => evictIfRunning(ada).then(() => undefined),
        () => Device.of(ada),
        () => Device.of(ada, { after: 0 }),
      ])
      expect(outcomes.filter(({ code }) => code)).toEqual([])
      const devices = outcomes.flatMap(({ answer }) => (answer instanceof Device ? [answer] : []))
      for (const device of [witness, ...devices]) expectUnbroken(await device.settled(), 3)
    }))

  it('while others publish during a long replay', async () => {
    const ada = await signUp('ada')
    await fill(ada, 900)
    const publishing = Array.from({ length: 20 }, () => publishTo(ada))
    const devices = await Promise.all(
      [0, 100, 899].flatMap((after) => [Device.of(ada, { after }), Device.of(ada, { after })]),
    )
    await Promise.all(publishing)
    for (const device of devices) expectUnbroken(await device.settled(), 920)
  })

  it('when it is cut off in the middle of a replay, again and again', async () => {
    const ada = await signUp('ada')
    await fill(ada, 500)
    const heard: number[] = []
    let after = 0
    for (const cutAt of [1, 2, 250, 251, 499]) {
      const phone = await Device.of(ada, { after, cutAt })
      await phone.off
      expect(phone.ready).toMatchObject({ seq: after, unread: after, data: { recovered: true } })
      heard.push(...phone.seqs)
      after = phone.seq
      await publishTo(ada)
    }
    const phone = await (await Device.of(ada, { after })).settled()
    expect([...heard, ...phone.seqs]).toEqual(range(1, 505))
  })

  it('when the object is killed', async () => {
    const ada = await signUp('ada')
    let phone = await Device.of(ada)
    const heard: number[] = []
    for (let i = 0; i < 5; i++) {
      await publishTo(ada)
      await kill(ada)
      await phone.closed
      heard.push(...phone.seqs)
      await publishTo(ada)
      phone = await (await phone.back()).settled()
    }
    expect([...heard, ...phone.seqs]).toEqual(range(1, 10))
  })
})

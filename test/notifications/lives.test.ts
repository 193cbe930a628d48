import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { Device, inboxOf } from '../support/device.ts'
import { alarmOf } from '../support/inbox.ts'
import { gift, inbox, publish } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator, signUp, type User } from '../support/user.ts'

const SCOPE = 'notifications:publish'
const MINUTE = 60
const DAY = 24 * 60 * MINUTE
const RETENTION = 90 * DAY

/** Moves the ends of all lives of an inbox into the past, and rings its alarm. */
async function live(user: User): Promise<void> {
  await runInDurableObject(inboxOf(user), (_, { storage }) => {
    storage.sql.exec('UPDATE notifications SET expires_at = 1 WHERE expires_at IS NOT NULL')
  })
  await runDurableObjectAlarm(inboxOf(user))
}

describe('a notification with expires_in', () => {
  it('goes by itself then, as an event like any other, and does not show when', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const phone = await Device.of(ada)
    const short = made(records.Notification, await publish(publisher, gift(ada, { expires_in: MINUTE })), 201)
    expect(Object.keys(short).sort()).toEqual(['created_at', 'data', 'id', 'state', 'type'])
    const long = made(records.Notification, await publish(publisher, gift(ada)), 201)
    expect(await inbox(ada)).toEqual({ notifications: [long, short], total: 2, unread: 2 })
    expect(await alarmOf(inboxOf(ada))).toBe(short.created_at + MINUTE)
    await live(ada)
    expect(await inbox(ada)).toEqual({ notifications: [long], total: 1, unread: 1 })
    expect((await phone.settled()).events).toEqual([
      { type: 'notification', seq: 1, unread: 1, data: short },
      { type: 'notification', seq: 2, unread: 2, data: long },
      { type: 'notification_deleted', seq: 3, unread: 1, data: { notification_id: short.id } },
    ])
    const again = await (await Device.of(ada, { after: 0 })).settled()
    expect([again.ready.data.recovered, again.events]).toEqual([true, phone.events])
  })

  it('stays until then when the alarm rings too early', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const kept = made(records.Notification, await publish(publisher, gift(ada, { expires_in: MINUTE })), 201)
    await runDurableObjectAlarm(inboxOf(ada))
    expect((await inbox(ada)).notifications).toEqual([kept])
    expect(await alarmOf(inboxOf(ada))).toBe(kept.created_at + MINUTE)
  })

  it('counts once when it was read before it goes, and not at all when it was deleted', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      const answer = await publish(publisher, gift(ada, { expires_in: MINUTE }))
      ids.push(made(records.Notification, answer, 201).id)
    }
    const [deleted = '', read = '', unread = ''] = ids
    await ada.request('DELETE', `/notifications/${deleted}`)
    await ada.request('POST', '/notifications/read', { json: { notification_ids: [read] } })
    expect(await inbox(ada)).toMatchObject({ total: 2, unread: 1 })
    const phone = await Device.of(ada)
    await live(ada)
    expect(await inbox(ada)).toMatchObject({ total: 0, unread: 0 })
    expect((await phone.settled()).events).toEqual([
      { type: 'notification_deleted', seq: 6, unread: 1, data: { notification_id: read } },
      { type: 'notification_deleted', seq: 7, unread: 0, data: { notification_id: unread } },
    ])
    for (const id of ids)
      expect(await ada.request('DELETE', `/notifications/${id}`)).toBeProblem(404, 'NOTIFICATION_NOT_FOUND')
  })

  it('is published once with a key, whose answer stays after it has gone', async () => {
    const [publisher, ada, key] = [await operator(SCOPE), await signUp('ada'), crypto.randomUUID()]
    const first = await publish(publisher, gift(ada, { expires_in: MINUTE }), key)
    await live(ada)
    expect((await publish(publisher, gift(ada, { expires_in: MINUTE }), key)).text).toBe(first.text)
    const longer = gift(ada, { expires_in: MINUTE + 1 })
    expect(await publish(publisher, longer, key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    expect(await inbox(ada)).toMatchObject({ total: 0 })
  })

  it('lives 60 seconds at least, and as long as notifications are kept at most', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    for (const expires_in of [0, 59, -1, 60.5, '60', null, true, 2 ** 53, RETENTION + 1]) {
      const answer = await publish(publisher, gift(ada, { expires_in }))
      expect(answer, String(expires_in)).toBeProblem(400, 'VALIDATION_FAILED', '/expires_in')
    }
    expect(await inbox(ada)).toMatchObject({ total: 0 })
    for (const expires_in of [MINUTE, RETENTION])
      expect((await publish(publisher, gift(ada, { expires_in }))).status).toBe(201)
  })

  it('is measured by the deployment’s own NOTIFICATION_RETENTION_DAYS', async () => {
    const ada = await signUp('ada')
    const publisher = (await operator(SCOPE)).through(serviceWith({ NOTIFICATION_RETENTION_DAYS: '2' }))
    const refused = await publish(publisher, gift(ada, { expires_in: 2 * DAY + 1 }))
    expect(refused).toBeProblem(400, 'VALIDATION_FAILED', String(2 * DAY))
    expect((await publish(publisher, gift(ada, { expires_in: 2 * DAY }))).status).toBe(201)
  })
})

describe('a notification with persistent: false', () => {
  it('reaches the open sockets as a signal without a seq, and is kept nowhere', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    await publish(publisher, gift(ada))
    const devices = [await Device.of(ada), await Device.of(ada)]
    const answer = await publish(publisher, gift(ada, { type: 'party.typing', persistent: false }))
    const signal = made(records.Notification, answer, 201)
    expect(signal).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'party.typing',
      data: { gift_id: 'golden-sword' },
      state: 'unread',
      created_at: expect.closeTo(Date.now() / 1_000, -2),
    })
    for (const device of devices) {
      await device.settled()
      expect([device.signals, device.events]).toEqual([[signal], []])
    }
    const list = await ada.get('/notifications')
    expect(list.body).toMatchObject({ total: 1, unread: 1 })
    expect(list.text).not.toContain(signal.id)
    expect(list.headers.get('X-Inbox-Seq')).toBe('1')
    const later = await (await Device.of(ada, { after: 0 })).settled()
    expect([later.signals, later.seqs]).toEqual([[], [1]])
    expect(await ada.request('DELETE', `/notifications/${signal.id}`)).toBeProblem(
      404,
      'NOTIFICATION_NOT_FOUND',
    )
  })

  it('leaves no trace in the inbox of a user who has no device online, or has never had one', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    expect((await publish(publisher, gift(ada, { persistent: false }))).status).toBe(201)
    const stored = await runInDurableObject(inboxOf(ada), async (_, { storage }) => [
      storage.sql.exec(`SELECT name FROM sqlite_schema WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'`).toArray(),
      [...storage.kv.list()],
      await storage.getAlarm(),
    ])
    expect(stored).toEqual([[], [], null])
  })

  it('comes each time, whatever Idempotency-Key it has, and uses none up', async () => {
    const [publisher, ada, key] = [await operator(SCOPE), await signUp('ada'), crypto.randomUUID()]
    const phone = await Device.of(ada)
    const ids = new Set<string>()
    for (let i = 0; i < 3; i++) {
      const answer = await publish(publisher, gift(ada, { persistent: false }), key)
      ids.add(made(records.Notification, answer, 201).id)
    }
    expect((await publish(publisher, gift(ada), key)).status, 'the key is free').toBe(201)
    expect((await publish(publisher, gift(ada, { persistent: false }), key)).status).toBe(201)
    await phone.settled()
    expect([ids.size, phone.signals.length, phone.seqs]).toEqual([3, 4, [1]])
  })

  it('ignores a valid expires_in, and takes no wrong member', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const phone = await Device.of(ada)
    const signal = (different: object) => publish(publisher, gift(ada, { persistent: false, ...different }))
    expect((await signal({ expires_in: MINUTE })).status).toBe(201)
    expect(await signal({ expires_in: 1 })).toBeProblem(400, 'VALIDATION_FAILED', '/expires_in')
    expect(await signal({ expires_in: RETENTION + 1 })).toBeProblem(400, 'VALIDATION_FAILED', '/expires_in')
    expect(await signal({ type: 'typing' })).toBeProblem(400, 'VALIDATION_FAILED', '/type')
    for (const persistent of [null, 'false', 0])
      expect(await signal({ persistent })).toBeProblem(400, 'VALIDATION_FAILED', '/persistent')
    await phone.settled()
    expect([phone.signals.length, phone.events]).toEqual([1, []])
  })

  it('may have a type of the contract, whose data are checked', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const phone = await Device.of(ada)
    const friend = { user_id: ada.id, type: 'friend_request', persistent: false }
    const data = { from_user_id: 7, from_display_name: 'Bob' }
    expect(await publish(publisher, { ...friend, data: {} })).toBeProblem(400, 'VALIDATION_FAILED', '/data')
    expect((await publish(publisher, { ...friend, data })).status).toBe(201)
    expect((await phone.settled()).signals).toMatchObject([{ type: 'friend_request', data }])
  })

  it('is kept when persistent is true, as without it', async () => {
    const [publisher, ada] = [await operator(SCOPE), await signUp('ada')]
    const kept = await publish(publisher, gift(ada, { persistent: true }))
    expect((await inbox(ada)).notifications).toEqual([kept.body])
  })
})

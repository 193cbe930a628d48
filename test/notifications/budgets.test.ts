import { env } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { overEvery } from '../support/databases.ts'
import { type Cost, meter, meteredDatabase, meteredInboxes } from '../support/meter.ts'
import { data, gift } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { serviceWith, upgrade } from '../support/service.ts'
import { operator, signUp, type User } from '../support/user.ts'

/** What requests cost in trips to D1 and calls to objects. */
function counting() {
  const cost = { trips: 0, calls: 0 }
  const service = serviceWith({
    ...overEvery((database) => meteredDatabase(database, () => cost.trips++)),
    INBOX: meteredInboxes(env.INBOX, () => cost.calls++),
  })
  return {
    service,
    async of(send: () => Promise<{ status: number }>) {
      Object.assign(cost, { trips: 0, calls: 0 })
      const { status } = await send()
      return { status, ...cost }
    },
  }
}

describe('a request about notifications', () => {
  const { service, of } = counting()
  let ada: User
  let social: User
  const key = { 'Idempotency-Key': 'an event' }
  const publish = (type: string, headers: Record<string, string> = {}) =>
    social.request('POST', '/notifications', { json: { user_id: ada.id, type, data }, headers })
  const read = (json?: unknown) => ada.request('POST', '/notifications/read', { json })
  const published = async () => made(records.Notification, await publish('friend_request'), 201).id

  beforeAll(async () => {
    ada = await signUp('ada', service)
    social = (await operator('notifications:publish')).through(service)
  })

  it('reads the announcements after the answer to the first look of an isolate', async () => {
    const { status, calls } = await of(() => ada.get('/notifications/unread-count'))
    expect({ status, calls }).toEqual({ status: 200, calls: 1 })
  })

  it('makes no trip to D1 and one call to an object, whatever comes of it', async () => {
    const ids = [await published(), await published()]
    const costs = {
      publish: await of(() => publish('friend_request')),
      'publish with a key': await of(() => publish('friend_request', key)),
      'publish again': await of(() => publish('friend_request', key)),
      'publish another with the key': await of(() => publish('friend_accepted', key)),
      list: await of(() => ada.get('/notifications?limit=100&offset=1')),
      count: await of(() => ada.get('/notifications/unread-count')),
      'read some': await of(() => read({ notification_ids: ids })),
      'read all': await of(() => read()),
      'read nothing more': await of(() => read()),
      delete: await of(() => ada.request('DELETE', `/notifications/${ids[0]}`)),
      'delete again': await of(() => ada.request('DELETE', `/notifications/${ids[0]}`)),
    }
    const one = (status: number) => ({ status, trips: 0, calls: 1 })
    expect(costs).toEqual({
      publish: one(201),
      'publish with a key': one(201),
      'publish again': one(201),
      'publish another with the key': one(422),
      list: one(200),
      count: one(200),
      'read some': one(200),
      'read all': one(200),
      'read nothing more': one(200),
      delete: one(204),
      'delete again': one(404),
    })
  })

  it('makes one call too when it filters, deletes many, or publishes something that goes by itself or is not kept', async () => {
    const ids = [await published(), await published()]
    const own = (different: Record<string, unknown>, headers: Record<string, string> = {}) =>
      social.request('POST', '/notifications', { json: gift(ada, different), headers })
    const remove = (json: unknown) => ada.request('POST', '/notifications/delete', { json })
    const costs = {
      'publish a type of its own': await of(() => own({})),
      'publish with expires_in': await of(() => own({ expires_in: 60 })),
      'publish a signal': await of(() => own({ persistent: false })),
      'publish a signal with a key': await of(() => own({ persistent: false }, key)),
      'list unread ones': await of(() => ada.get('/notifications?state=unread')),
      'list one type': await of(() => ada.get('/notifications?type=shop.gift&state=read')),
      'delete some': await of(() => remove({ notification_ids: ids })),
      'delete none': await of(() => remove({ notification_ids: [] })),
      'delete read ones': await of(() => remove({ state: 'read' })),
      'delete all': await of(() => remove({ all: true })),
      'delete all again': await of(() => remove({ all: true })),
    }
    for (const [title, { trips, calls }] of Object.entries(costs))
      expect({ trips, calls }, title).toEqual({ trips: 0, calls: 1 })
    expect(Object.values(costs).map(({ status }) => status)).toEqual([
      ...Array(4).fill(201),
      ...Array(7).fill(200),
    ])
  })

  it('makes one call for each recipient of a batch, kept or not, with a key or without', async () => {
    const user_ids = Array.from({ length: 100 }, () => crypto.randomUUID())
    const batch = (different: object, headers: Record<string, string> = {}) =>
      of(() =>
        social.request('POST', '/notifications/batch', {
          json: { user_ids, type: 'shop.gift', data: { gift_id: 'x' }, ...different },
          headers,
        }),
      )
    const each = { status: 200, trips: 0, calls: 100 }
    expect(await batch({})).toEqual(each)
    expect(await batch({}, key)).toEqual(each)
    expect(await batch({}, key)).toEqual(each)
    expect(await batch({ persistent: false })).toEqual(each)
    const none = { status: 400, trips: 0, calls: 0 }
    expect(await batch({ user_ids: [...user_ids.slice(1), ''] })).toEqual(none)
    expect(await batch({ expires_in: 10 ** 9 })).toEqual(none)
  })

  it('calls no object when it is refused before', async () => {
    const refused = {
      body: await of(() => read({ notification_ids: null })),
      query: await of(() => ada.get('/notifications?limit=0')),
      publication: await of(() => publish('other')),
      filter: await of(() => ada.get('/notifications?type=gift')),
      deletion: await of(() => ada.request('POST', '/notifications/delete', { json: {} })),
      scope: await of(() => ada.request('POST', '/notifications', { json: {} })),
      upgrade: await of(() => ada.get('/notifications/ws')),
    }
    const nothing = (status: number) => ({ status, trips: 0, calls: 0 })
    expect(refused).toEqual({
      body: nothing(400),
      query: nothing(400),
      publication: nothing(400),
      filter: nothing(400),
      deletion: nothing(400),
      scope: nothing(403),
      upgrade: nothing(426),
    })
  })

  it('opens a socket with one call', async () => {
    const opened: Response[] = []
    const cost = await of(async () => {
      const response = await upgrade({ Authorization: `Bearer ${ada.token}` }, '', service)
      opened.push(response)
      return response
    })
    expect(cost).toEqual({ status: 101, trips: 0, calls: 1 })
    for (const { webSocket } of opened) {
      webSocket?.accept()
      webSocket?.close()
    }
  })

  it('makes no call to R2 either', async () => {
    const metered = meter()
    const cost = await metered.of(() => ada.through(metered.service).get('/notifications'))
    expect(cost).toEqual({ trips: 0, rows_read: 0, rows_written: 0, r2_calls: 0 } satisfies Cost)
  })
})

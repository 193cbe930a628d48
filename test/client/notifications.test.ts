import { describe, expect, it } from 'vitest'
import { type Client, createClient, NetworkError } from '#client'
import { atOnce, losing, network, noting } from '../support/client.ts'
import { newNamedId } from '../support/ids.ts'
import { type Fetch, isolate, origin } from '../support/service.ts'
import { tokenFor } from '../support/user.ts'
import { FakeSocket } from './inbox/bench.ts'

interface Game {
  'shop.gift': { gift_id: string }
  'game.turn': { number: number }
}

const scope = 'notifications:publish announcements:publish'

/** A client of a new user, who may publish. */
async function newPublisher(fetch: Fetch = network()): Promise<{ user_id: string; client: Client<Game> }> {
  const user_id = newNamedId('user')
  const token = await tokenFor(user_id, { scope })
  return { user_id, client: createClient<Game>({ baseUrl: origin, token, fetch, retry: atOnce }) }
}

const gift = { type: 'shop.gift', data: { gift_id: 'golden-sword' } } as const

describe('the methods of notifications', () => {
  it('publish with the types of the game, and list by state and type', async () => {
    const { user_id, client } = await newPublisher()
    const published = await client.publishNotification({ user_id, ...gift, expires_in: 3_600 })
    await client.publishNotification({ user_id, type: 'game.turn', data: { number: 1 } })
    await client.markNotificationsRead({ notification_ids: [published.id] })
    const gifts = await client.listNotifications({ type: 'shop.gift' }).page()
    expect(gifts).toMatchObject({ notifications: [{ ...published, state: 'read' }], total: 2, unread: 1 })
    const given: string[] = []
    for await (const { type, data } of client.listNotifications({ state: 'read' }))
      if (type === 'shop.gift') given.push(data.gift_id)
    expect(given).toEqual(['golden-sword'])
    expect(await client.deleteNotifications({ state: 'read' })).toEqual({ deleted_count: 1 })
    expect(await client.deleteNotifications({ all: true })).toEqual({ deleted_count: 1 })
  })

  it('publish to many users once, also when the answer is lost', async () => {
    const { requests, fetch } = losing(1)
    const { user_id, client } = await newPublisher(fetch)
    const other = await newPublisher()
    const user_ids = [user_id, other.user_id]
    const { results } = await client.publishNotifications({ user_ids, ...gift })
    expect(requests).toHaveLength(2)
    expect(results.map((result) => result.user_id)).toEqual(user_ids)
    const { notifications } = await other.client.listNotifications().page()
    expect(notifications).toMatchObject([{ id: results[1]?.notification_id, ...gift }])
  })

  it('send a signal once, also when the answer is lost', async () => {
    const { requests, fetch } = losing(1)
    const { user_id, client } = await newPublisher(fetch)
    await expect(client.publishNotification({ user_id, ...gift, persistent: false })).rejects.toThrow(
      NetworkError,
    )
    expect(requests).toHaveLength(1)
    expect(await client.listNotifications().page()).toMatchObject({ total: 0, seq: 0 })
  })
})

describe('the methods of announcements', () => {
  it('announce, list and end, and a user has the announcement as a notification meanwhile', async () => {
    const { client } = await newPublisher(network(isolate()))
    const data = { gift_id: newNamedId('gift') }
    const expires_at = Math.floor(Date.now() / 1_000) + 600
    const announced = await client.publishAnnouncement({ type: 'shop.gift', data, expires_at })
    try {
      expect(announced).toMatchObject({ type: 'shop.gift', data, expires_at })
      const found: unknown[] = []
      for await (const one of client.listAnnouncements({ limit: 1 }))
        if (one.id === announced.id) found.push(one)
      expect(found).toEqual([announced])
      const { notifications } = await client.listNotifications({ type: 'shop.gift' }).page()
      expect(notifications).toContainEqual(
        expect.objectContaining({ type: 'shop.gift', data, state: 'unread' }),
      )
    } finally {
      await client.deleteAnnouncement({ id: announced.id })
    }
    const { notifications } = await client.listNotifications({ type: 'shop.gift' }).page()
    expect(notifications.map((one) => one.data)).not.toContainEqual(data)
  })
})

describe('a live inbox that deletes', () => {
  it.each([
    ['many, and repeats a request whose answer is lost', 'deleteMany', 2],
    ['what is read, and repeats no request, which would delete later ones', 'deleteRead', 1],
    ['all, and repeats no request, which would delete later ones', 'deleteAll', 1],
  ] as const)('%s', async (_, method, sent) => {
    let isLost = false
    const { requests, fetch } = noting(async (request, next) => {
      const response = await next(request)
      if (isLost || !request.url.endsWith('/delete')) return response
      isLost = true
      await response.body?.cancel()
      throw new TypeError('The connection was cut.')
    })
    const { user_id, client } = await newPublisher(fetch)
    const { id } = await client.publishNotification({ user_id, ...gift })
    await client.markNotificationsRead()
    const inbox = client.inbox({ WebSocket: FakeSocket })
    try {
      await inbox.ready()
      const deleted = method === 'deleteMany' ? inbox.deleteMany([id]) : inbox[method]()
      if (sent === 1) await expect(deleted).rejects.toThrow(NetworkError)
      else await deleted
    } finally {
      inbox.close()
    }
    expect(requests.filter(({ url }) => url.endsWith('/delete'))).toHaveLength(sent)
    expect(await client.listNotifications().page()).toMatchObject({ total: 0 })
  })
})

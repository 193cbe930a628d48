import { describe, expect, it } from 'vitest'
import { type Client, createClient, NetworkError } from '#client'
import { createStudio, type Studio } from '#client/studio'
import { tokenFor } from '../support/identities.ts'
import { newNamedId } from '../support/ids.ts'
import { type Fetch, isolate, origin } from '../support/service.ts'
import { atOnce, losing, network, noting } from './client.ts'
import { FakeSocket } from './inbox/bench.ts'

interface Game {
  'shop.gift': { gift_id: string }
  'game.turn': { number: number }
}

const scope = 'notifications:publish announcements:publish'

interface Publisher {
  user_id: string
  client: Client<Game>
  studio: Studio<Game>
}

/** The clients of a new user, who may publish. */
async function newPublisher(fetch: Fetch = network()): Promise<Publisher> {
  const user_id = newNamedId('user')
  const token = await tokenFor(user_id, { scope })
  const options = { baseUrl: origin, token, fetch, retry: atOnce }
  return { user_id, client: createClient<Game>(options), studio: createStudio<Game>(options) }
}

const gift = { type: 'shop.gift', data: { gift_id: 'golden-sword' } } as const

describe('the methods of notifications', () => {
  it('publish with the types of the game, and list by state and type', async () => {
    const { user_id, client, studio } = await newPublisher()
    const published = await studio.notifications.publish({ user_id, ...gift, expires_in: 3_600 })
    await studio.notifications.publish({ user_id, type: 'game.turn', data: { number: 1 } })
    await client.inbox.markRead({ notification_ids: [published.id] })
    const gifts = await client.inbox.list({ type: 'shop.gift' }).page()
    expect(gifts).toMatchObject({ notifications: [{ ...published, state: 'read' }], total: 2, unread: 1 })
    const given: string[] = []
    for await (const { type, data } of client.inbox.list({ state: 'read' }))
      if (type === 'shop.gift') given.push(data.gift_id)
    expect(given).toEqual(['golden-sword'])
    expect(await client.inbox.deleteMany({ state: 'read' })).toEqual({ deleted_count: 1 })
    expect(await client.inbox.deleteMany({ all: true })).toEqual({ deleted_count: 1 })
  })

  it('publish to many users once, also when the answer is lost', async () => {
    const { requests, fetch } = losing(1)
    const { user_id, studio } = await newPublisher(fetch)
    const other = await newPublisher()
    const user_ids = [user_id, other.user_id]
    const { results } = await studio.notifications.publishToMany({ user_ids, ...gift })
    expect(requests).toHaveLength(2)
    expect(results.map((result) => result.user_id)).toEqual(user_ids)
    const { notifications } = await other.client.inbox.list().page()
    expect(notifications).toMatchObject([{ id: results[1]?.notification_id, ...gift }])
  })

  it('send a signal once, also when the answer is lost', async () => {
    const { requests, fetch } = losing(1)
    const { user_id, client, studio } = await newPublisher(fetch)
    await expect(studio.notifications.publish({ user_id, ...gift, persistent: false })).rejects.toThrow(
      NetworkError,
    )
    expect(requests).toHaveLength(1)
    expect(await client.inbox.list().page()).toMatchObject({ total: 0, seq: 0 })
  })
})

describe('the methods of announcements', () => {
  it('announce, list and end, and a user has the announcement as a notification meanwhile', async () => {
    const { client, studio } = await newPublisher(network(isolate()))
    const data = { gift_id: newNamedId('gift') }
    const expires_at = Math.floor(Date.now() / 1_000) + 600
    const announced = await studio.announcements.publish({ type: 'shop.gift', data, expires_at })
    try {
      expect(announced).toMatchObject({ type: 'shop.gift', data, expires_at })
      const found: unknown[] = []
      for await (const one of studio.announcements.list({ limit: 1 }))
        if (one.id === announced.id) found.push(one)
      expect(found).toEqual([announced])
      const { notifications } = await client.inbox.list({ type: 'shop.gift' }).page()
      expect(notifications).toContainEqual(
        expect.objectContaining({ type: 'shop.gift', data, state: 'unread' }),
      )
    } finally {
      await studio.announcements.delete({ id: announced.id })
    }
    const { notifications } = await client.inbox.list({ type: 'shop.gift' }).page()
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
    const { user_id, client, studio } = await newPublisher(fetch)
    const { id } = await studio.notifications.publish({ user_id, ...gift })
    await client.inbox.markRead()
    const inbox = client.inbox.open({ WebSocket: FakeSocket })
    try {
      await inbox.ready()
      const deleted = method === 'deleteMany' ? inbox.deleteMany({ notification_ids: [id] }) : inbox[method]()
      if (sent === 1) await expect(deleted).rejects.toThrow(NetworkError)
      else await deleted
    } finally {
      inbox.close()
    }
    expect(requests.filter(({ url }) => url.endsWith('/delete'))).toHaveLength(sent)
    expect(await client.inbox.list().page()).toMatchObject({ total: 0 })
  })
})

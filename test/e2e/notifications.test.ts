import { randomUUID } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '#client'
import { clientOf } from './client.ts'
import { finished, Server } from './server.ts'

const user = `ada-${randomUUID()}`
const Event = z.object({ type: z.string(), seq: z.int(), unread: z.int() })

let server: Server
let token: string
let ada: Client
let social: Client

const tokenFor = async (...args: string[]) => (await finished(['scripts/token.ts', ...args])).output.trim()

beforeAll(async () => {
  server = await Server.start()
  token = await tokenFor(user)
  ada = clientOf(server.url(), token)
  social = clientOf(server.url(), await tokenFor('social', '--scope', 'notifications:publish'))
})
afterAll(() => server.stop())

const publish = (from_user_id: number) =>
  social.publishNotification(
    { user_id: user, type: 'friend_request', data: { from_user_id, from_display_name: 'Grace' } },
    { idempotencyKey: `request-${from_user_id}` },
  )

/** What a socket is told until it has heard of `seq`. */
function heard(after: number, seq: number): Promise<z.output<typeof Event>[]> {
  const url = `${server.url().replace('http', 'ws')}/v1/notifications/ws?after=${after}`
  const socket = new WebSocket(url, ['notifications.v1', `bearer.${token}`])
  const events: z.output<typeof Event>[] = []
  return new Promise((resolve, reject) => {
    socket.onclose = () => reject(new Error(`closed after ${JSON.stringify(events)}`))
    socket.onmessage = ({ data }) => {
      const event = Event.parse(JSON.parse(data))
      events.push(event)
      if (event.seq < seq) return
      socket.onclose = null
      socket.close()
      resolve(events)
    }
  })
}

it('the client misses nothing, and hears nothing twice, when the server is killed under it', async () => {
  const inbox = ada.inbox()
  try {
    const lines: string[] = []
    const told: string[] = []
    inbox.on('change', ({ seq, total, unread }) => lines.push(`${seq}: ${total} listed, ${unread} unread`))
    inbox.on('notification', ({ id }) => told.push(id))
    await expect.poll(() => lines, { timeout: 20_000 }).toHaveLength(1)
    const first = await publish(1)
    await expect.poll(() => lines, { timeout: 20_000 }).toHaveLength(2)
    await server.kill()
    await server.resume()
    const second = await publish(2)
    await ada.markNotificationsRead()
    await ada.deleteNotification({ id: first.id })
    await expect
      .poll(() => lines, { timeout: 20_000 })
      .toEqual([
        '0: 0 listed, 0 unread',
        '1: 1 listed, 1 unread',
        '2: 2 listed, 2 unread',
        '3: 2 listed, 0 unread',
        '4: 1 listed, 0 unread',
      ])
    expect(told).toEqual([first.id, second.id])
    expect(inbox.snapshot?.notifications).toEqual([{ ...second, state: 'read' }])
  } finally {
    inbox.close()
  }
  // The server starts again.
}, 120_000)

it('what was answered is there after a kill at once, with its event, and a repetition makes nothing new', async () => {
  const { seq } = await ada.listNotifications().page()
  const published = await Promise.all([11, 12, 13, 14, 15].map(publish))
  await server.kill()
  await server.resume()
  expect(await Promise.all([11, 12, 13, 14, 15].map(publish))).toEqual(published)
  expect(await ada.listNotifications().page()).toMatchObject({ seq: seq + 5, total: 6, unread: 5 })
  expect(await heard(seq, seq + 5)).toEqual([
    { type: 'ready', seq, unread: 0 },
    ...[1, 2, 3, 4, 5].map((more) => ({ type: 'notification', seq: seq + more, unread: more })),
  ])
  // The server starts again.
}, 120_000)

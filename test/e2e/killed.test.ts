import { randomUUID } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, NetworkError } from '#client'
import { createStudio, type Studio } from '#client/studio'
import { clientOf, sendWhole } from './client.ts'
import { finished, Server } from './server.ts'

const user = `ada-${randomUUID()}`
const Upload = z.object({ id: z.string(), file: z.object({ id: z.string() }) })
type Upload = z.output<typeof Upload>
const Event = z.object({ type: z.string(), seq: z.int(), unread: z.int() })

let server: Server
let token: string
let ada: Client
let social: Studio

const tokenFor = async (...args: string[]) => (await finished(['scripts/token.ts', ...args])).output.trim()

beforeAll(async () => {
  server = await Server.start()
  token = await tokenFor(user)
  ada = clientOf(server.url(), token)
  social = createStudio({
    baseUrl: server.url(),
    token: await tokenFor('social', '--scope', 'notifications:publish'),
    retry: { attempts: 1 },
  })
})
afterAll(() => server.stop())

const publish = (from_user_id: number, user_id = user) =>
  social.notifications.publish(
    { user_id, type: 'friend_request', data: { from_user_id, from_display_name: 'Grace' } },
    { idempotencyKey: `request-${from_user_id}` },
  )

/** What a socket is told until it has heard of `seq`. */
function heard(of: string, after: number, seq: number): Promise<z.output<typeof Event>[]> {
  const url = `${server.url().replace('http', 'ws')}/v1/notifications/ws?after=${after}`
  const socket = new WebSocket(url, ['notifications.v1', `bearer.${of}`])
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

it('what was answered is there after a kill at once, with its event; a repetition makes nothing new, and the client under which the server died misses nothing and hears nothing twice', async () => {
  const bob = `bob-${randomUUID()}`
  const bobs = await tokenFor(bob)
  const inbox = ada.inbox.open()
  try {
    const lines: string[] = []
    const told: string[] = []
    inbox.on('change', ({ seq, total, unread }) => lines.push(`${seq}: ${total} listed, ${unread} unread`))
    inbox.on('notification', ({ id }) => told.push(id))
    await expect.poll(() => lines, { timeout: 20_000 }).toHaveLength(1)
    const first = await publish(1)
    await expect.poll(() => lines, { timeout: 20_000 }).toHaveLength(2)
    const many = () => Promise.all([11, 12, 13, 14, 15].map((from) => publish(from, bob)))
    const published = await many()
    const second = await publish(2)
    await server.kill()
    await server.resume()
    expect(await publish(2)).toEqual(second)
    expect(await many()).toEqual(published)
    for (const [of, count] of [
      [token, 2],
      [bobs, 5],
    ] as const)
      expect(await heard(of, 0, count)).toEqual([
        { type: 'ready', seq: 0, unread: 0 },
        ...Array.from({ length: count }, (_, at) => ({ type: 'notification', seq: at + 1, unread: at + 1 })),
      ])
    const listed = await clientOf(server.url(), bobs).inbox.list().page()
    expect(listed).toMatchObject({ seq: 5, total: 5, unread: 5 })
    await ada.inbox.markRead()
    await ada.inbox.delete({ id: first.id })
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

// The server starts again.
describe('a server that is killed in the middle of completions', {
  tags: 'release',
  timeout: 120_000,
}, () => {
  it('finds everything again, and completing again makes every file ready', async () => {
    const bob = clientOf(server.url(), await tokenFor(`bob-${randomUUID()}`))
    const complete = async ({ id }: Upload) => (await bob.uploads.complete({ id })).upload.state
    const uploads: Upload[] = []
    let said: string[] = []
    // On a busy machine all may have been answered before the server dies: then others are completed.
    for (let round = 0; round < 5 && !said.includes('cut off'); round++) {
      if (round > 0) await server.resume()
      const started = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          bob.uploads.start({
            upload_type: 'file',
            asset_type: 'chat_attachment',
            name: `killed ${round} ${i}`,
            size_bytes: 3,
            mime_type: 'application/octet-stream',
          }),
        ),
      )
      const some = started.map((upload) => Upload.parse(upload))
      for (const upload of started) expect(await sendWhole(upload, 'abc')).toBe(200)
      uploads.push(...some)
      const completions = some.map((upload) =>
        complete(upload).catch((error: unknown) => {
          if (error instanceof NetworkError) return 'cut off'
          throw error
        }),
      )
      await Promise.race(completions)
      await server.kill()
      said = await Promise.all(completions)
    }
    expect(said, 'the kill came in the middle').toContain('cut off')

    await server.resume()
    for (const upload of uploads) expect(await complete(upload)).toBe('completed')
    const { files } = await bob.files.list({ asset_type: 'chat_attachment' }).page()
    expect(files.map(({ id }) => id).sort()).toEqual(uploads.map(({ file }) => file.id).sort())
    expect(new Set(files.map(({ processing_state }) => processing_state))).toEqual(new Set(['ready']))
    for (const { id } of files) {
      const { url } = await bob.files.getUrl({ id })
      expect(await (await fetch(url)).text()).toBe('abc')
    }
  })
})

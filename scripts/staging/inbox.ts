/** Checks of the inbox, its socket, and the search of public assets. */
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Check } from './check.ts'
import { bytes, type Deployment, send, Target } from './deployment.ts'
import { must } from './given.ts'

const PING_MS = 30_000
const HOUR_MS = 3_600_000

const Event = z.looseObject({ type: z.string(), seq: z.number().optional() })

/** A socket of the user, which keeps messages until a check waits for them. */
class Socket {
  readonly #socket: WebSocket
  readonly #came: string[] = []
  #look: () => void = () => {}

  constructor({ origin, user }: Deployment) {
    const url = `${origin.replace(/^http/, 'ws')}/v1/notifications/ws`
    this.#socket = new WebSocket(url, ['notifications.v1', `bearer.${user.token}`])
    this.#socket.onmessage = ({ data }) => this.#note(String(data))
    this.#socket.onclose = ({ code }) => this.#note(`closed with ${code}`)
  }

  #note(text: string): void {
    this.#came.push(text)
    this.#look()
  }

  send(text: string): void {
    this.#socket.send(text)
  }

  close(): void {
    this.#socket.close()
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** The next message that `isMeant` accepts; or the text of a close or a timeout. */
  async next(isMeant: (text: string) => boolean, patience_ms = 15_000): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    const timer = setTimeout(() => resolve(`nothing within ${patience_ms / 1_000} s`), patience_ms)
    this.#look = () => {
      for (let text = this.#came.shift(); text !== undefined; text = this.#came.shift())
        if (isMeant(text) || text.startsWith('closed')) return resolve(text)
    }
    this.#look()
    return promise.finally(() => {
      clearTimeout(timer)
      this.#look = () => {} // keeps further messages for the next wait
    })
  }
}

const isOfType = (type: string) => (text: string) =>
  text.startsWith('{') && Event.parse(JSON.parse(text)).type === type

async function open(deployment: Deployment): Promise<Socket> {
  const socket = new Socket(deployment)
  deployment.later(async () => socket.close())
  const ready = await socket.next(isOfType('ready'))
  if (!ready.startsWith('{')) must(false, ready)
  return socket
}

/** Publishes a notification to the user, and registers its deletion. Returns its id. */
async function publish(deployment: Deployment): Promise<string> {
  const body = JSON.stringify({
    user_id: deployment.user.id,
    type: 'friend_request',
    data: { from_user_id: 7, from_display_name: 'staging' },
  })
  const headers = { Authorization: `Bearer ${deployment.given('STAGING_SERVICE_TOKEN')}` }
  const { text } = await deployment.need(201, '/v1/notifications', { method: 'POST', body, headers })
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(text))
  deployment.later(() => deployment.ask(`/v1/notifications/${id}`, { method: 'DELETE' }))
  return id
}

async function arrives(deployment: Deployment, socket: Socket): Promise<string> {
  const id = await publish(deployment)
  // An announcement may arrive before it.
  const text = await socket.next((message) => isOfType('notification')(message) && message.includes(id))
  return must(text.includes(id), text.includes(id) ? 'it arrived' : text)
}

export const inbox: Check[] = [
  {
    name: 'socket',
    does: 'opens a socket with the token as subprotocol, and sends ping',
    must: 'ready, then pong',
    run: async (deployment) => {
      const socket = await open(deployment)
      socket.send('ping')
      const pong = await socket.next((text) => text === 'pong')
      return must(pong === 'pong', `ready; ${pong}`)
    },
  },
  {
    name: 'notification',
    does: 'publishes a notification while a socket is open, as a service',
    must: 'it arrives on the socket',
    needs: ['STAGING_SERVICE_TOKEN'],
    run: async (deployment) => {
      const socket = await open(deployment)
      return await arrives(deployment, socket)
    },
  },
  {
    name: 'socket-for-an-hour',
    does: 'leaves a socket alone for an hour, with a ping every 30 seconds, then publishes',
    must: 'it stays open, and the notification arrives on it. Then look at the bill: the inbox was active for almost no time',
    onPlatform: 'whether the inbox hibernates meanwhile',
    needs: ['STAGING_SERVICE_TOKEN'],
    takes: 'an hour',
    run: async (deployment) => {
      const socket = await open(deployment)
      const end = Date.now() + HOUR_MS
      while (Date.now() < end && socket.isOpen) {
        socket.send('ping')
        await pause(PING_MS)
      }
      if (!socket.isOpen) return must(false, 'it was closed')
      return `an hour later ${await arrives(deployment, socket)}`
    },
  },
  {
    name: 'readable-headers',
    does: 'lists the inbox from a page on an allowed origin',
    must: 'the origin may read it; Access-Control-Expose-Headers names X-Inbox-Seq, X-D1-Bookmark and ETag',
    needs: ['STAGING_ORIGIN'],
    run: async (deployment) => {
      const Origin = deployment.given('STAGING_ORIGIN')
      const { headers } = await deployment.need(200, '/v1/notifications', { headers: { Origin } })
      const exposed = headers.get('Access-Control-Expose-Headers') ?? 'none'
      const allowed = headers.get('Access-Control-Allow-Origin') ?? 'nobody'
      const isRight = ['X-Inbox-Seq', 'X-D1-Bookmark', 'ETag'].every((name) => exposed.includes(name))
      return must(isRight && [Origin, '*'].includes(allowed), `${allowed}: ${exposed}`)
    },
  },
  {
    name: 'search',
    does: 'publishes an asset, and searches for three letters in the middle of its name and for its first one',
    must: 'both find it: D1 has SQLite’s FTS5 with trigrams',
    onPlatform: 'which extensions the real D1 has',
    run: async (deployment) => {
      const word = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
      const content = bytes(500)
      const declared = { upload_type: 'game_asset', asset_type: 'world', name: `staging ${word}` }
      const started = await deployment.start(content.length, declared)
      await send(Target.parse(started), content)
      const completed = await deployment.complete(started.id)
      const { asset } = z.object({ asset: z.object({ id: z.string() }) }).parse(JSON.parse(completed.text))
      deployment.later(() =>
        deployment.ask(`/v1/game/assets/${asset.id}?permanent=true`, { method: 'DELETE' }),
      )
      const body = JSON.stringify({ visibility: 'public' })
      await deployment.need(200, `/v1/game/assets/${asset.id}`, { method: 'PUT', body })
      const finds = async (q: string) =>
        (await deployment.need(200, `/v1/game/public?limit=100&q=${q}`)).text.includes(asset.id)
      const [middle, first] = [await finds(word.slice(4, 7)), await finds('s')]
      return must(
        middle && first,
        `three letters: ${middle ? 'found' : 'not found'}; one: ${first ? 'found' : 'not found'}`,
      )
    },
  },
]

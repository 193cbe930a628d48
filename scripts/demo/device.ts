/** A user's device, which keeps a copy of the inbox as docs/notifications.md describes. */
import { on } from 'node:events'
import { Inbox, Message, type Notification } from './answers.ts'
import { printFact, printRequest, send, type User } from './client.ts'

const PATIENCE_SECONDS = 20

export class Device {
  readonly name: string
  readonly #user: User
  /** By id, oldest first. */
  readonly #inbox = new Map<string, Notification>()
  #seq = 0
  #unread = 0
  #socket: { messages: AsyncIterator<unknown[]>; closed: Promise<number>; close: () => void } | undefined

  constructor(name: string, user: User) {
    this.name = name
    this.#user = user
  }

  /** The copy: the notifications, newest first, the unread count, and the last seq. */
  get shown(): { notifications: Notification[]; unread: number; seq: number } {
    return { notifications: [...this.#inbox.values()].reverse(), unread: this.#unread, seq: this.#seq }
  }

  /** Reads the inbox and its seq. */
  async list(): Promise<void> {
    const { headers, body } = await send(this.#user, 'GET', '/v1/notifications?limit=100', Inbox)
    this.#inbox.clear()
    for (const notification of body.notifications.toReversed()) this.#inbox.set(notification.id, notification)
    this.#seq = Number(headers.get('X-Inbox-Seq'))
    this.#unread = body.unread
    printFact(this.name, `${body.total} notifications, ${body.unread} unread, at seq ${this.#seq}`)
  }

  /** Opens a socket at `origin` for the events after the last seq. */
  async connect(origin = this.#user.origin): Promise<void> {
    const path = `/v1/notifications/ws?after=${this.#seq}`
    const protocols = ['notifications.v1', `bearer.${this.#user.token}`]
    const socket = new WebSocket(origin.replace(/^http/, 'ws') + path, protocols)
    const messages = on(socket, 'message', { close: ['close'] })
    const closed = new Promise<number>((close) =>
      socket.addEventListener('close', ({ code }) => close(code), { once: true }),
    )
    this.#socket = { messages, closed, close: () => socket.close() }
    const opened = new Promise<'open'>((open) => socket.addEventListener('open', () => open('open')))
    const outcome = await inTime(
      Promise.race([opened, closed]),
      `The socket of the ${this.name} did not open.`,
    )
    printRequest('GET', path, outcome === 'open' ? '101' : `closed with ${outcome}`)
    if (outcome !== 'open') throw new Error(`The socket of the ${this.name} was refused.`)
  }

  /** Waits for the next message, and applies it. */
  async hear(): Promise<Message> {
    const silence = `The ${this.name} was told nothing more.`
    const next = this.#socket && (await inTime(this.#socket.messages.next(), silence))
    if (!next || next.done) throw new Error(silence)
    const [event] = next.value
    if (!(event instanceof MessageEvent)) throw new Error(`The ${this.name} was told something strange.`)
    const message = Message.parse(JSON.parse(event.data))
    if (message.type === 'ready') {
      if (!message.data.recovered) await this.list()
    } else if (message.seq > this.#seq) this.#apply(message)
    return message
  }

  /** The close code of the connection, when it is closed. */
  async closed(): Promise<number> {
    const closed = this.#socket?.closed ?? Promise.resolve(1000)
    return inTime(closed, `The socket of the ${this.name} did not close.`)
  }

  disconnect(): void {
    this.#socket?.close()
  }

  /** Applies an event. Its seq has to be the next one, so a missing event is detected. */
  #apply(event: Exclude<Message, { type: 'ready' }>): void {
    if (event.seq !== this.#seq + 1)
      throw new Error(`The ${this.name} missed what came between ${this.#seq} and ${event.seq}.`)
    this.#seq = event.seq
    this.#unread = event.unread
    if (event.type === 'notification') this.#inbox.set(event.data.id, event.data)
    if (event.type === 'notification_deleted') this.#inbox.delete(event.data.notification_id)
    if (event.type === 'notifications_read')
      for (const id of event.data.notification_ids ?? [...this.#inbox.keys()]) {
        const notification = this.#inbox.get(id)
        if (notification) this.#inbox.set(id, { ...notification, state: 'read' })
      }
  }
}

/** Waits for a promise, up to a limit. */
async function inTime<Result>(promise: Promise<Result>, otherwise: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), PATIENCE_SECONDS * 1_000)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

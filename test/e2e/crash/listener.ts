import { isDeepStrictEqual } from 'node:util'
import { z } from '@hono/zod-openapi'
import type { Power } from './power.ts'

const Notification = z.looseObject({ id: z.string(), state: z.string() })
type Notification = z.output<typeof Notification>

const always = { seq: z.int(), unread: z.int() }
const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), ...always, data: z.object({ recovered: z.boolean() }) }),
  z.object({ type: z.literal('notification'), ...always, data: Notification }),
  z.object({
    type: z.literal('notifications_read'),
    ...always,
    data: z.object({ notification_ids: z.array(z.string()).nullable() }),
  }),
  z.object({
    type: z.literal('notification_deleted'),
    ...always,
    data: z.object({ notification_id: z.string() }),
  }),
  z.object({
    type: z.literal('notifications_deleted'),
    ...always,
    data: z.object({ notification_ids: z.array(z.string()).nullable() }),
  }),
])
type Message = z.output<typeof Message>

/**
 * A device that follows its user's inbox over a socket through every crash, from the first seq on. It takes no answer
 * for granted: a seq that is left out, comes twice or goes back is a mistake of the service, and so is an event that
 * doesn't fit what was there before.
 */
export class Listener {
  /** What the device shows, newest first. */
  notifications: Notification[] = []
  /** The last seq that it has heard of. */
  seq = 0
  readonly #power: Power
  readonly #token: string
  #mistake: Error | undefined
  #socket: WebSocket | undefined
  #waiting: { seq: number; heard: PromiseWithResolvers<void> } | undefined

  constructor(power: Power, token: string) {
    this.#power = power
    this.#token = token
  }

  /** Connects, and goes on where it stood. */
  connect(): void {
    const url = `${this.#power.origin.replace('http', 'ws')}/v1/notifications/ws?after=${this.seq}`
    const socket = new WebSocket(url, ['notifications.v1', `bearer.${this.#token}`])
    this.#socket = socket
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return
      try {
        this.#hear(Message.parse(JSON.parse(String(data))))
      } catch (error) {
        this.#mistake ??= error instanceof Error ? error : new Error(String(error))
      }
      if (this.#mistake || this.seq >= (this.#waiting?.seq ?? Number.POSITIVE_INFINITY)) this.#settle()
    }
    socket.onclose = ({ code, reason }) => {
      if (socket !== this.#socket) return
      if (!this.#power.isOff) this.#mistake ??= new Error(`the socket was closed: ${code} ${reason}`)
      this.#settle()
    }
  }

  /** Hears nothing any more. */
  leave(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  /**
   * Waits until it has heard of a seq.
   *
   * @throws Error when anything that it has been told so far was a mistake
   */
  async heard(seq: number): Promise<void> {
    if (this.seq < seq && !this.#mistake) {
      this.#waiting = { seq, heard: Promise.withResolvers() }
      await this.#waiting.heard.promise
    }
    if (this.#mistake) throw this.#mistake
    if (this.seq !== seq) throw new Error(`the inbox is at seq ${seq}, and a device has heard of ${this.seq}`)
  }

  #settle(): void {
    this.#waiting?.heard.resolve()
    this.#waiting = undefined
  }

  #hear(message: Message): void {
    if (message.type === 'ready') {
      if (!message.data.recovered) throw new Error(`after ${this.seq} the socket could not go on`)
      if (message.seq !== this.seq)
        throw new Error(`asked for what came after ${this.seq}, got ${message.seq}`)
    } else {
      if (message.seq !== this.seq + 1) throw new Error(`after seq ${this.seq} came ${message.seq}`)
      this.seq = message.seq
      this.notifications = followed(this.notifications, message)
    }
    const unread = this.notifications.filter(({ state }) => state === 'unread').length
    if (message.unread !== unread)
      throw new Error(`at seq ${message.seq}, ${message.unread} are said to be unread, and ${unread} are`)
  }

  /** Requires that a device which was told each change shows what is in the inbox, newest first. */
  compare(inbox: object[]): void {
    if (!isDeepStrictEqual(this.notifications, inbox))
      throw new Error(
        `a device shows ${JSON.stringify(this.notifications)}, the inbox has ${JSON.stringify(inbox)}`,
      )
  }
}

function followed(
  notifications: Notification[],
  { type, data }: Exclude<Message, { type: 'ready' }>,
): Notification[] {
  if (type === 'notification') {
    if (notifications.some(({ id }) => id === data.id)) throw new Error(`${data.id} was published twice`)
    return [data, ...notifications]
  }
  if (type === 'notification_deleted') return notifications.filter(({ id }) => id !== data.notification_id)
  const ids = data.notification_ids
  if (type === 'notifications_deleted')
    return notifications.filter(({ id }) => ids !== null && !ids.includes(id))
  return notifications.map((one) => (ids === null || ids.includes(one.id) ? { ...one, state: 'read' } : one))
}

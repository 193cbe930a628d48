import { env } from 'cloudflare:test'
import { Validator } from '@cfworker/json-schema'
import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { InboxEvent, Ready, Signal } from '../../src/features/notifications/messages.ts'
import { publishNotification } from '../../src/features/notifications/publish.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { contextOf } from './context.ts'
import { socketDescription } from './exposed.ts'
import { type Fetch, upgrade } from './service.ts'
import type { User } from './user.ts'

type FriendEvent = 'friend_request' | 'friend_accepted'

type Notification = z.output<typeof Signal>['data']

const Message = z.union([Ready, InboxEvent, Signal])
type Message = z.output<typeof Message>

/** The code and reason of a closed socket. */
export interface Closing {
  code: number
  reason: string
}

/** A stub of a user's inbox. A new one each time, because a stub is unusable after an exception. */
export const inboxOf = ({ id }: { id: string }) => env.INBOX.getByName(id)

/** Puts a notification into a user's inbox, as the social service does. */
export const publishTo = (
  { id }: { id: string },
  from_display_name = 'Bob',
  { type = 'friend_request', ctx = contextOf(id) }: { type?: FriendEvent; ctx?: RequestContext } = {},
) =>
  publishNotification(ctx, {
    user_id: id,
    type,
    data: { from_user_id: 7, from_display_name },
  })

/**
 * A device of a user, with a socket. It collects the service's messages, and fails on a message that is not described.
 */
export class Device {
  readonly ready: z.output<typeof Ready>
  readonly #user: User
  readonly #line: Line

  private constructor(user: User, line: Line, ready: z.output<typeof Ready>) {
    this.#user = user
    this.#line = line
    this.ready = ready
  }

  /**
   * Switches on a device: from now on, or, with `after`, from where another socket broke off. With `cutAt` it is cut
   * off as soon as it has heard of that seq. `service` is the isolate that opens the socket.
   */
  static async of(
    user: User,
    { after, cutAt, service }: { after?: number; cutAt?: number; service?: Fetch } = {},
  ): Promise<Device> {
    const query = after === undefined ? '' : `?after=${after}`
    const response = await upgrade({ Authorization: `Bearer ${user.token}` }, query, service)
    return Device.on(user, response, cutAt)
  }

  /** The device at the other end of an upgrade, which has to have worked. */
  static async on(user: User, response: Response, cutAt?: number): Promise<Device> {
    const socket = response.webSocket
    if (!socket) throw new Error(`no socket: ${response.status} ${await response.text()}`)
    const line = new Line(socket, cutAt)
    return new Device(user, line, Ready.parse(await line.next()))
  }

  /** The events after `ready`, in order. */
  get events(): InboxEvent[] {
    const events = this.#line.heard.filter(({ type }) => type !== 'signal')
    return events.slice(1).map((message) => InboxEvent.parse(message))
  }

  /** The notifications that came as signals. */
  get signals(): Notification[] {
    return this.#line.heard.flatMap((message) => (message.type === 'signal' ? [message.data] : []))
  }

  /** The latest seq that the device has received. */
  get seq(): number {
    return this.events.at(-1)?.seq ?? this.ready.seq
  }

  /** The seqs that came after `ready`. */
  get seqs(): number[] {
    return this.events.map(({ seq }) => seq)
  }

  /** Waits for the end of the socket. */
  get closed(): Promise<Closing> {
    return this.#line.closed
  }

  /** The next event that no earlier call has returned. */
  async next(): Promise<InboxEvent> {
    return InboxEvent.parse(await this.#line.next())
  }

  /** Waits for all messages sent until now: they arrive before the answer to a ping. */
  async settled(): Promise<this> {
    await this.#line.ping()
    return this
  }

  send(message: string | ArrayBuffer | ArrayBufferView): void {
    this.#line.send(message)
  }

  /** Closes the socket. */
  async leave(): Promise<Closing> {
    this.#line.cut(1000)
    return this.closed
  }

  /** Stops receiving without closing the socket, so that the service does not notice. */
  cut(): void {
    this.#line.cut()
  }

  /** Resolves when the device receives nothing any more, because it was cut off or its socket closed. */
  get off(): Promise<void> {
    return this.#line.off.promise
  }

  /** Reconnects with a new socket after the last seq that it received. */
  back(): Promise<Device> {
    this.cut()
    return Device.of(this.#user, { after: this.seq })
  }
}

/** One socket, from the client's end. */
class Line {
  readonly heard: Message[] = []
  readonly closed: Promise<Closing>
  readonly off = Promise.withResolvers<void>()
  readonly #socket: WebSocket
  readonly #cutAt: number
  #taken = 0
  #failure: Error | undefined
  readonly #waiting: PromiseWithResolvers<Message>[] = []
  readonly #pings: PromiseWithResolvers<void>[] = []

  constructor(socket: WebSocket, cutAt = Number.POSITIVE_INFINITY) {
    this.#socket = socket
    this.#cutAt = cutAt
    const closed = Promise.withResolvers<Closing>()
    this.closed = closed.promise
    socket.addEventListener('message', ({ data }) => this.#hear(data))
    socket.addEventListener('close', ({ code, reason }) => {
      closed.resolve({ code, reason })
      this.#end(new Error(`the socket is closed: ${code} ${reason}`))
    })
    socket.accept()
  }

  async next(): Promise<Message> {
    const message = this.heard[this.#taken++]
    if (message) return message
    if (this.#failure) throw this.#failure
    const waiting = Promise.withResolvers<Message>()
    this.#waiting.push(waiting)
    return waiting.promise
  }

  async ping(): Promise<void> {
    if (this.#failure) throw this.#failure
    const pong = Promise.withResolvers<void>()
    this.#pings.push(pong)
    this.#socket.send('ping')
    return pong.promise
  }

  send(message: string | ArrayBuffer | ArrayBufferView): void {
    this.#socket.send(message)
  }

  cut(code?: number): void {
    if (code !== undefined) this.#socket.close(code)
    this.#end(new Error('the device is cut off'))
  }

  #hear(data: unknown): void {
    if (this.#failure) return
    if (data === 'pong') {
      this.#pings.shift()?.resolve()
      return
    }
    try {
      const message = described(data)
      this.heard.push(message)
      this.#waiting.shift()?.resolve(message)
      if ('seq' in message && message.seq >= this.#cutAt) this.cut()
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #end(failure: Error): void {
    this.#failure ??= failure
    this.off.resolve()
    for (const waiting of [...this.#waiting.splice(0), ...this.#pings.splice(0)])
      waiting.reject(this.#failure)
  }
}

/** What /asyncapi.json says of each message; its test shows that this is what is served. */
const validators = new Map(
  Object.entries(socketDescription.components.schemas).map(([type, schema]) => [
    type,
    new Validator(JSON.parse(JSON.stringify(schema)), '2020-12'),
  ]),
)

/** A message as it is described, and not one member more. */
function described(data: unknown): Message {
  const received: unknown = JSON.parse(z.string().parse(data))
  const message = Message.parse(received)
  expect(validators.get(message.type)?.validate(received).errors, 'as /asyncapi.json has it').toEqual([])
  expect(received, 'as it is described').toEqual(message)
  return message
}

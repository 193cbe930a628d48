import { vi } from 'vitest'
import { ServiceError } from '../../../client/src/errors.ts'
import { Inbox, type InboxOptions } from '../../../client/src/inbox/inbox.ts'
import type { Notification } from '../../../client/src/inbox/notification.ts'
import type { InboxService } from '../../../client/src/inbox/service.ts'
import type { InboxState } from '../../../client/src/inbox/sync.ts'
import { ModelInbox } from './model-inbox.ts'

interface Events {
  message: { data: unknown }
  close: { code: number }
  error: undefined
}
type Service = InboxService<Notification>
type Listeners = { [Type in keyof Events]?: (event: Events[Type]) => void }

/** A WebSocket whose other end is the test. */
export class FakeSocket {
  readonly url: string
  readonly protocols: string[]
  readonly sent: string[] = []
  readyState = 1
  isClosed = false
  readonly #listeners: Listeners = {}

  constructor(url: string, protocols: string[]) {
    this.url = url
    this.protocols = protocols
  }

  addEventListener<Type extends keyof Events>(type: Type, listener: Listeners[Type]): void {
    this.#listeners[type] = listener
  }

  send(data: string): void {
    this.sent.push(data)
  }

  close(): void {
    this.isClosed = true
  }

  receive(message: unknown): void {
    this.#listeners.message?.({ data: typeof message === 'string' ? message : JSON.stringify(message) })
  }

  closedWith(code: number): void {
    this.#listeners.close?.({ code })
  }
}

/** A token that expires in so many seconds. `id` tells it from others. */
export function tokenFor(id: string, expires_in: number): string {
  const exp = Math.floor(Date.now() / 1_000) + expires_in
  return `header.${btoa(JSON.stringify({ jti: id, exp })).replace(/=+$/, '')}.${id}`
}

export function serviceError(status: number, code: ServiceError['code'], retry_after?: number): ServiceError {
  return new ServiceError(
    { type: 'about:blank', status, code, title: code, detail: code, request_id: 'r' },
    retry_after,
  )
}

/** An inbox on a service and on sockets that the test plays. Its clock is vitest's. */
export class Bench {
  readonly model = new ModelInbox(5)
  readonly sockets: FakeSocket[] = []
  readonly states: InboxState[] = []
  readonly errors: unknown[] = []
  readonly told: string[] = []
  readonly signals: Notification[] = []
  readonly service = {
    baseUrl: 'https://storage.example',
    token: vi.fn<Service['token']>(async () => 'header.payload.first'),
    list: vi.fn<Service['list']>(async ({ limit, offset }) => this.model.page(limit, offset)),
    check: vi.fn<Service['check']>(async () => {}),
    markRead: vi.fn<Service['markRead']>(async () => {}),
    delete: vi.fn<Service['delete']>(async () => {}),
    deleteSelected: vi.fn<Service['deleteSelected']>(async () => {}),
  }
  readonly inbox: Inbox

  constructor(options: InboxOptions = {}, prepare: (bench: Bench) => void = () => {}) {
    prepare(this)
    const { sockets } = this
    this.inbox = new Inbox(this.service, {
      WebSocket: class extends FakeSocket {
        constructor(url: string, protocols: string[]) {
          super(url, protocols)
          sockets.push(this)
        }
      },
      ...options,
    })
    this.inbox.on('state', (state) => this.states.push(state))
    this.inbox.on('error', (error) => this.errors.push(error))
    this.inbox.on('notification', ({ id }) => this.told.push(id))
    this.inbox.on('signal', (notification) => this.signals.push(notification))
  }

  get socket(): FakeSocket {
    const socket = this.sockets.at(-1)
    if (!socket) throw new Error('No socket has been opened.')
    return socket
  }

  /** Lets so many milliseconds pass, and everything happen that follows. */
  async pass(ms = 0): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms)
  }

  /** The service accepts the latest socket. */
  async accept(): Promise<void> {
    await this.pass()
    const after = /after=(\d+)$/.exec(this.socket.url)?.[1]
    for (const message of this.model.connect(after === undefined ? undefined : Number(after)))
      this.socket.receive(message)
    await this.pass()
  }

  /** Something happens in the inbox, and the latest socket is told. */
  async change(change: (model: ModelInbox) => void): Promise<void> {
    const { seq } = this.model
    change(this.model)
    for (const event of this.model.since(seq)) this.socket.receive(event)
    await this.pass()
  }

  async close(code: number): Promise<void> {
    this.socket.closedWith(code)
    await this.pass()
  }
}

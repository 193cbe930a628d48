/** A user's device with a live inbox, and a network that can be switched off. */
import { createClient, type Inbox, type InboxSnapshot, type Notification, type WebSocketClass } from '#client'
import type { Fetch } from './user.ts'

const PATIENCE_MS = 20_000

/** The network of a device. */
class Network {
  readonly fetch: Fetch
  readonly WebSocket: WebSocketClass
  readonly #sockets = new Set<WebSocket>()
  #isOn = true

  constructor(send: Fetch) {
    const isOn = () => this.#isOn
    const opened = (socket: WebSocket) => this.#sockets.add(socket)
    this.fetch = async (request) => {
      if (!isOn()) throw new TypeError('The network is off.')
      return send(request)
    }
    this.WebSocket = class extends WebSocket {
      constructor(url: string, protocols?: string | string[]) {
        super(isOn() ? url : UNREACHABLE, protocols)
        opened(this)
      }
    }
  }

  switchOff(): void {
    this.#isOn = false
    for (const socket of this.#sockets) socket.close()
    this.#sockets.clear()
  }

  switchOn(): void {
    this.#isOn = true
  }
}

/** An address that refuses connections. */
const UNREACHABLE = 'ws://localhost:9'

/** The name in a notification of the social service. */
export function nameIn({ type, data }: Notification): string {
  const isSocial = type === 'friend_request' || type === 'friend_accepted'
  return isSocial ? data.from_display_name : type
}

export class Device {
  readonly name: string
  readonly inbox: Inbox
  /** The names in the notifications that the inbox has emitted, in order. */
  readonly notified: string[] = []
  readonly #signals: Notification[] = []
  readonly #network: Network

  /** `token` is the user's. `send` sends the requests of the device. */
  constructor(name: string, origin: string, token: string, send: Fetch) {
    this.name = name
    this.#network = new Network(send)
    const client = createClient({ baseUrl: origin, token, fetch: this.#network.fetch })
    this.inbox = client.inbox.open({ WebSocket: this.#network.WebSocket })
    this.inbox.on('notification', (notification) => this.notified.push(nameIn(notification)))
    this.inbox.on('signal', (notification) => this.#signals.push(notification))
  }

  /** Waits until the device shows the inbox at `seq`. @throws Error when that takes too long */
  async reach(seq: number): Promise<InboxSnapshot> {
    const snapshot = await this.#until('change', () =>
      this.inbox.snapshot && this.inbox.snapshot.seq >= seq ? this.inbox.snapshot : undefined,
    )
    return snapshot
  }

  /** Waits until the device has a socket. @throws Error when that takes too long */
  async connect(): Promise<void> {
    await this.#until('state', () => (this.inbox.state.name === 'connected' ? true : undefined))
  }

  /** The first signal that the device gets. @throws Error when none comes */
  async signal(): Promise<Notification> {
    return this.#until('signal', () => this.#signals[0])
  }

  /** Switches the network off, and waits until the inbox has noticed. */
  async goOffline(): Promise<void> {
    this.#network.switchOff()
    await this.#until('state', () => (this.inbox.state.name === 'connected' ? undefined : true))
  }

  /** Switches the network on, and reconnects at once, as an app does when the system reports the network. */
  comeBack(): void {
    this.#network.switchOn()
    this.inbox.reconnect()
  }

  /** Waits for events until `look` returns a value. */
  async #until<Seen>(event: 'change' | 'state' | 'signal', look: () => Seen | undefined): Promise<Seen> {
    const late = Promise.withResolvers<never>()
    const reason = new Error(`The ${this.name} got no further events within ${PATIENCE_MS / 1_000} s.`)
    const timer = setTimeout(() => late.reject(reason), PATIENCE_MS)
    try {
      for (;;) {
        const seen = look()
        if (seen !== undefined) return seen
        const next = Promise.withResolvers<void>()
        const stop = this.inbox.on(event, () => next.resolve())
        await Promise.race([next.promise, late.promise]).finally(stop)
      }
    } finally {
      clearTimeout(timer)
    }
  }
}

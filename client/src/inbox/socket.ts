import { Timer } from '../timer.ts'
import { type InboxEvent, type Item, parseMessage, type ReadyMessage, type UnknownEvent } from './messages.ts'

/** The part of a WebSocket that the inbox uses. Browsers, Node, Workers and React Native have it. */
export interface WebSocketLike {
  readonly readyState: number
  send(data: string): void
  close(): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void
  addEventListener(type: 'error', listener: () => void): void
}

/** A WebSocket class, like the global one. */
export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike

/** How a dead connection is detected. */
export interface PingOptions {
  /** A ping is sent after this long without a message. Default: 30,000. */
  intervalMs?: number | undefined
  /**
   * The time limit of an answer to a ping, and of opening the socket. One that is not open although the service answers requests is
   * dropped sooner. Default: 10,000.
   */
  timeoutMs?: number | undefined
}

/** How a connection ended. */
export type SocketEnd =
  | { why: 'closed'; code: number; wasReady: boolean }
  /** `silent`: no answer came in time. `dropped`: this client ended the connection. */
  | { why: 'silent' | 'dropped'; wasReady: boolean }
  /** A message could not be read, or the first one was not `ready`. */
  | { why: 'unreadable' }

/** The `readyState` of a WebSocket that is open. */
const OPEN = 1

interface Handlers<One extends Item> {
  onReady: (message: ReadyMessage) => void
  onEvent: (event: InboxEvent<One> | UnknownEvent) => void
  onSignal: (notification: One) => void
}

/** One connection to the inbox. Ends itself when the service does not answer. */
export class InboxSocket<One extends Item> {
  /** Resolves when the connection has ended. No handler is called afterwards. */
  readonly ended: Promise<SocketEnd>
  readonly #socket: WebSocketLike
  readonly #handlers: Handlers<One>
  readonly #intervalMs: number
  readonly #timeoutMs: number
  #resolve: (end: SocketEnd) => void = () => {}
  readonly #timer = new Timer()
  #isReady = false
  #isPinging = false
  #isOver = false

  /** @throws SyntaxError when the token has characters that a subprotocol can't have */
  constructor(
    WebSocket: WebSocketClass,
    { url, token }: { url: string; token: string },
    { intervalMs = 30_000, timeoutMs = 10_000 }: PingOptions,
    handlers: Handlers<One>,
  ) {
    this.#handlers = handlers
    this.#intervalMs = intervalMs
    this.#timeoutMs = timeoutMs
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#socket = new WebSocket(url, ['notifications.v1', `bearer.${token}`])
    this.#socket.addEventListener('message', ({ data }) => this.#receive(data))
    this.#socket.addEventListener('close', ({ code }) =>
      this.#end({ why: 'closed', code, wasReady: this.#isReady }),
    )
    // A close follows. Without a listener some runtimes report the error as uncaught.
    this.#socket.addEventListener('error', () => {})
    this.#expectMessage()
  }

  /** Whether the WebSocket is not open yet, and has not ended. */
  get isOpening(): boolean {
    return !this.#isReady && !this.#isOver && this.#socket.readyState !== OPEN
  }

  /** Checks the connection now, unless a check is under way: that one keeps its time limit. */
  ping(): void {
    if (this.#isOver || !this.#isReady) return
    // A socket that is closing emits `close` only once the other side has answered.
    if (this.#socket.readyState !== OPEN) this.drop()
    else if (!this.#isPinging) {
      this.#isPinging = true
      this.#expectMessage()
      this.#socket.send('ping')
    }
  }

  /** Ends the connection without waiting for the other side. */
  drop(): void {
    this.#end({ why: 'dropped', wasReady: this.#isReady })
  }

  #receive(data: unknown): void {
    if (this.#isOver) return
    this.#isPinging = false
    this.#pingLater()
    if (data === 'pong') return
    const message = parseMessage<One>(data)
    if (!message || (message.type === 'ready') === this.#isReady) {
      this.#end({ why: 'unreadable' })
    } else if (message.type === 'ready') {
      this.#isReady = true
      this.#handlers.onReady(message)
    } else if (message.type === 'signal') this.#handlers.onSignal(message.data)
    else if (message.type !== 'unnumbered') this.#handlers.onEvent(message)
  }

  #pingLater(): void {
    this.#timer.start(this.#intervalMs, () => this.ping())
  }

  #expectMessage(): void {
    this.#timer.start(this.#timeoutMs, () => this.#end({ why: 'silent', wasReady: this.#isReady }))
  }

  #end(end: SocketEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#timer.stop()
    if (end.why !== 'closed') this.#socket.close()
    this.#resolve(end)
  }
}

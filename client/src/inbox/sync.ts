import { InboxError, ServiceError } from '../errors.ts'
import { jitteredDelay } from '../retry.ts'
import { isOffline, onReturn } from '../surroundings.ts'
import { Timer } from '../timer.ts'
import type { Item } from './messages.ts'
import { InboxPages } from './pages.ts'
import { renewalDelay } from './renewal.ts'
import type { InboxReplica } from './replica.ts'
import type { InboxService } from './service.ts'
import { InboxSocket, type PingOptions, type SocketEnd, type WebSocketClass } from './socket.ts'
import { type Step, stepAfterError, stepAfterRefusedSocket, stepAfterSocket } from './steps.ts'

/** The state of an inbox's connection. */
export type InboxState =
  | { readonly name: 'connecting' }
  /** The list and the unread count are up to date. */
  | { readonly name: 'connected' }
  /**
   * `offline`: until the device has a network. `retry`: for `delay_ms`. `replaced`, because the user has opened too many
   * connections: until `reconnect()`, or until the user comes back to the page.
   */
  | {
      readonly name: 'waiting'
      readonly reason: 'offline' | 'retry' | 'replaced'
      readonly delay_ms?: number
      readonly error?: unknown
    }
  /** Final. `closed`: by the application. `refused`: `error` says why. `erased`: the user no longer exists. */
  | { readonly name: 'closed'; readonly reason: 'closed' | 'refused' | 'erased'; readonly error?: unknown }

/** The error that explains why an inbox was closed. */
export function reasonOf({ error }: InboxState & { name: 'closed' }): unknown {
  return error ?? new InboxError('CLOSED', 'The inbox has been closed.')
}

export interface SyncOptions {
  /** Replaces the global `WebSocket`. */
  WebSocket?: WebSocketClass | undefined
  /** Delays between attempts: random, of at most `minDelayMs` (1,000) first, doubling up to `maxDelayMs` (30,000). */
  backoff?: { minDelayMs?: number; maxDelayMs?: number } | undefined
  ping?: PingOptions | undefined
}

interface Hooks<One extends Item> {
  /** The replica has changed. */
  onChange: () => void
  onSignal: (notification: One) => void
  onState: (state: InboxState) => void
  onError: (error: unknown) => void
}

const defaultBackoff = { minDelayMs: 1_000, maxDelayMs: 30_000 }
/** A connection that has lasted this long resets the count of failures. */
const STABLE_MS = 10_000
/** A socket that takes longer to open may hang: it was begun while the network was away. */
const OPENING_MS = 2_000
/** An offline device tries to connect this often anyway: `navigator.onLine` may be wrong. */
const OFFLINE_MS = 30_000

/** Keeps a replica up to date: connects, catches up, applies events, and reconnects, until it is closed. */
export class InboxSync<One extends Item> {
  readonly pages: InboxPages<One>
  readonly #service: InboxService<One>
  readonly #replica: InboxReplica<One>
  readonly #options: SyncOptions
  readonly #hooks: Hooks<One>
  readonly #signal: AbortSignal
  #state: InboxState = { name: 'connecting' }
  #socket: InboxSocket<One> | undefined
  /** The error for which the socket was dropped. */
  #failure: unknown
  /** A token that was fetched ahead of the connection. */
  #nextToken: string | undefined
  #connectedAt: number | undefined
  #failures = 0
  #endWait: (() => void) | undefined
  /** Whether the service has said how long to wait. */
  #isAskedToWait = false

  constructor(
    service: InboxService<One>,
    replica: InboxReplica<One>,
    options: SyncOptions,
    hooks: Hooks<One>,
    signal: AbortSignal,
  ) {
    this.#service = service
    this.#replica = replica
    this.#options = options
    this.#hooks = hooks
    this.#signal = signal
    this.pages = new InboxPages(service, replica, signal, {
      onPage: () => this.#changed(),
      onError: (error) => this.#pageFailed(error),
      onBehind: () => this.#socket?.drop(),
    })
  }

  get state(): InboxState {
    return this.#state
  }

  get #isClosed(): boolean {
    return this.#state.name === 'closed'
  }

  /** Keeps the replica up to date until the signal aborts, or the service rejects the user for good. */
  async run(): Promise<void> {
    const stopListening = onReturn(() => !this.#isAskedToWait && this.reconnect())
    const close = () => this.#close({ name: 'closed', reason: 'closed' })
    this.#signal.addEventListener('abort', close)
    if (this.#signal.aborted) close()
    let isRenewing = false
    while (!this.#isClosed) {
      if (isOffline()) await this.#wait({ name: 'waiting', reason: 'offline' }, OFFLINE_MS)
      this.#enter({ name: 'connecting' })
      const step = await this.#session(isRenewing)
      isRenewing = step.next === 'renew'
      await this.#take(step)
    }
    this.#signal.removeEventListener('abort', close)
    stopListening()
  }

  /** Connects now when the inbox waits; otherwise checks the connection. */
  reconnect(): void {
    if (this.#endWait) this.#endWait()
    else this.#socket?.ping()
  }

  /** One connection, from the attempt to its end. Returns the next step. */
  async #session(isRenewing: boolean): Promise<Step> {
    this.#failure = undefined
    this.#connectedAt = undefined
    try {
      if (this.#replica.isStale) await this.pages.until(() => !this.#replica.isStale)
      const token = this.#nextToken ?? (await this.#tokenFrom(isRenewing))
      this.#nextToken = undefined
      const end = await this.#follow(token)
      if (this.#failure !== undefined) return stepAfterError(this.#failure)
      if (this.#nextToken !== undefined) return { next: 'renew' }
      const step = stepAfterSocket(end)
      if (step !== 'ask') return step
      await this.#service.check({ signal: this.#signal })
      return stepAfterRefusedSocket()
    } catch (error) {
      return stepAfterError(error)
    }
  }

  /** Opens a socket, and applies its messages until it ends. */
  async #follow(token: string): Promise<SocketEnd> {
    if (this.#isClosed) return { why: 'dropped', wasReady: false }
    const after = this.#replica.seq
    const url = `${this.#service.baseUrl.replace(/^http/, 'ws')}/v1/notifications/ws?after=${after}`
    const socket = new InboxSocket<One>(
      this.#options.WebSocket ?? WebSocket,
      { url, token },
      this.#options.ping ?? {},
      {
        onReady: (message) => {
          this.#connectedAt = Date.now()
          this.#replica.ready(message)
          this.#changed()
        },
        onEvent: (event) => {
          if (this.#replica.receive(event)) this.#changed()
          else socket.drop()
        },
        onSignal: this.#hooks.onSignal,
      },
    )
    this.#socket = socket
    const delay = renewalDelay(token)
    const timer = new Timer()
    if (delay !== undefined) timer.start(delay, () => void this.#renew(token))
    const opening = new Timer()
    this.#watch(socket, opening)
    const end = await socket.ended
    timer.stop()
    opening.stop()
    this.#socket = undefined
    return end
  }

  /**
   * Drops a socket that is still opening although the service answers requests. A runtime like Node 20 waits for many seconds on
   * a connection that was begun without a network.
   */
  #watch(socket: InboxSocket<One>, timer: Timer): void {
    timer.start(OPENING_MS, async () => {
      if (!socket.isOpening) return
      this.#watch(socket, timer)
      const asked = Date.now()
      if ((await this.#answers()) && socket.isOpening)
        timer.start(OPENING_MS + 4 * (Date.now() - asked), () => socket.isOpening && socket.drop())
    })
  }

  /** Whether the service answers a request now, also with an error of its own. */
  #answers(): Promise<boolean> {
    return this.#service.check({ signal: this.#signal }).then(
      () => true,
      (error: unknown) => error instanceof ServiceError,
    )
  }

  /** Fetches a new token before the current one expires, and reconnects with it. */
  async #renew(token: string): Promise<void> {
    try {
      const next = await this.#tokenFrom(true)
      if (next === token) return
      this.#nextToken = next
      this.#socket?.drop()
    } catch (error) {
      this.#hooks.onError(error) // The service closes the socket when the token has expired.
    }
  }

  async #tokenFrom(renew: boolean): Promise<string> {
    const text = await this.#service.token({ renew })
    if (/^[\w.-]+$/.test(text)) return text
    throw new InboxError('INVALID_TOKEN', 'The token is not a JWT: it has characters that a JWT never has.')
  }

  #changed(): void {
    this.#hooks.onChange()
    if (this.#socket && this.#connectedAt !== undefined && this.#replica.isComplete)
      this.#enter({ name: 'connected' })
    this.pages.advance()
  }

  #pageFailed(error: unknown): void {
    if (this.#replica.isComplete) this.#hooks.onError(error)
    else if (this.#socket) {
      this.#failure = error
      this.#socket.drop()
    }
  }

  /** Takes the step after a connection: waits, or closes the inbox. */
  async #take(step: Step): Promise<void> {
    if (this.#isClosed) return
    if (this.#connectedAt !== undefined && Date.now() - this.#connectedAt >= STABLE_MS) this.#failures = 0
    if (step.next !== 'renew') this.#hooks.onError(step.error)
    switch (step.next) {
      case 'renew':
        // A login may give tokens that are about to expire, by the clock of this device, each time.
        if (this.#failures++ === 0) return
        return this.#waitToRetry(undefined)
      case 'retry':
        this.#failures++
        return this.#waitToRetry(step.error, step.retry_after)
      case 'pause':
        return this.#wait({ name: 'waiting', reason: 'replaced', error: step.error })
      case 'stop':
        this.#close({ name: 'closed', reason: step.reason, error: step.error })
    }
  }

  #waitToRetry(error: unknown, retry_after = 0): Promise<void> {
    const delay_ms =
      retry_after * 1_000 + jitteredDelay({ ...defaultBackoff, ...this.#options.backoff }, this.#failures)
    this.#isAskedToWait = retry_after > 0
    return this.#wait({ name: 'waiting', reason: 'retry', error, delay_ms }, delay_ms)
  }

  /** Waits for `delay_ms`, or until `reconnect()` or the end of the inbox. */
  async #wait(state: InboxState, delay_ms?: number): Promise<void> {
    this.#enter(state)
    const timer = new Timer()
    await new Promise<void>((resolve) => {
      this.#endWait = resolve
      if (delay_ms !== undefined) timer.start(delay_ms, resolve)
    })
    timer.stop()
    this.#endWait = undefined
    this.#isAskedToWait = false
  }

  #close(state: InboxState & { name: 'closed' }): void {
    if (this.#isClosed) return
    if (state.reason === 'erased') {
      this.#replica.clear()
      this.#hooks.onChange()
    }
    this.#enter(state)
    this.#socket?.drop()
    this.#endWait?.()
    this.pages.close(reasonOf(state))
  }

  #enter(state: InboxState): void {
    if (this.#isClosed || (state.name !== 'waiting' && state.name === this.#state.name)) return
    this.#state = state
    this.#hooks.onState(state)
  }
}

import type { RequestOptions } from '../options.ts'
import { Emitter } from './emitter.ts'
import type { Notification } from './messages.ts'
import { InboxReplica } from './replica.ts'
import type { InboxService } from './service.ts'
import { type InboxState, InboxSync, reasonOf, type SyncOptions } from './sync.ts'

/** How an inbox is opened. */
export interface InboxOptions extends SyncOptions {
  /** How many of the newest notifications the list has at least. Default: 100. `Infinity`: all. */
  limit?: number | undefined
  /** Closes the inbox. */
  signal?: AbortSignal | undefined
}

/** An inbox at one moment. A change makes a new object, so two can be compared by identity. */
export interface InboxSnapshot {
  /** The newest ones, newest first, without a gap. */
  readonly notifications: readonly Notification[]
  /** The number for the badge: how many are unread in the whole inbox. */
  readonly unread: number
  /** How many there are in the whole inbox. */
  readonly total: number
  /** Whether `loadMore()` would bring older ones. */
  readonly has_more: boolean
  /** The number of the last change that is in it. */
  readonly seq: number
}

/** What an inbox tells its listeners, by the name of the event. */
export interface InboxEvents {
  /** A notification is new since the inbox was opened. Each is told once, in order, also after a time without network. */
  notification: Notification
  /** The list or the badge has changed. */
  change: InboxSnapshot
  state: InboxState
  /** Something failed. The inbox tries again by itself, unless its state is `closed`. */
  error: unknown
}

/** A live copy of the user's inbox. `client.inbox()` opens one; `close()` ends it. */
export class Inbox {
  readonly #service: InboxService
  readonly #replica: InboxReplica
  readonly #sync: InboxSync
  readonly #emitter = new Emitter<InboxEvents>()
  readonly #closing = new AbortController()
  #snapshot: InboxSnapshot | undefined

  constructor(service: InboxService, { limit = 100, signal, ...options }: InboxOptions = {}) {
    if (!(limit >= 1)) throw new RangeError('The limit of an inbox is at least 1.')
    if (!options.WebSocket && typeof WebSocket === 'undefined')
      throw new TypeError('This runtime has no WebSocket: pass a class as the option WebSocket.')
    this.#service = service
    this.#replica = new InboxReplica(limit)
    const hooks = {
      onChange: () => this.#changed(),
      onState: (state: InboxState) => this.#emitter.emit('state', state),
      onError: (error: unknown) => this.#emitter.emit('error', error),
    }
    this.#sync = new InboxSync(service, this.#replica, options, hooks, this.#closing.signal)
    const close = () => this.close()
    signal?.addEventListener('abort', close)
    this.#closing.signal.addEventListener('abort', () => signal?.removeEventListener('abort', close))
    if (signal?.aborted) this.close()
    // Later, so that listeners which are added now get every event.
    void Promise.resolve().then(() => this.#sync.run())
  }

  /** The list and the badge; undefined before the first list has arrived. */
  get snapshot(): InboxSnapshot | undefined {
    return this.#snapshot
  }

  get state(): InboxState {
    return this.#sync.state
  }

  /** Adds a listener. Returns a function that removes it. */
  on<Name extends keyof InboxEvents>(name: Name, listener: (value: InboxEvents[Name]) => void): () => void {
    return this.#emitter.on(name, listener)
  }

  /** Resolves with the first list. @throws the reason why the inbox has been closed before */
  async ready(): Promise<InboxSnapshot> {
    if (this.#snapshot) return this.#snapshot
    if (this.state.name === 'closed') throw reasonOf(this.state)
    return new Promise((resolve, reject) => {
      const stops = [
        this.on('change', (snapshot) => {
          for (const stop of stops) stop()
          resolve(snapshot)
        }),
        this.on('state', (state) => {
          if (state.name !== 'closed') return
          for (const stop of stops) stop()
          reject(reasonOf(state))
        }),
      ]
    })
  }

  /** Lists this many older notifications. @throws ServiceError, NetworkError */
  async loadMore(count = 50): Promise<InboxSnapshot> {
    await this.ready()
    this.#replica.wantMore(count)
    await this.#sync.pages.until(() => !this.#replica.needsPage)
    return this.ready()
  }

  /**
   * Marks notifications as read. The list and the badge change at once, and change back when the service does not do it.
   *
   * @throws ServiceError, NetworkError
   */
  async markRead(ids: readonly string[], options: RequestOptions = {}): Promise<void> {
    if (ids.length === 0) return // For the service, none means all.
    await this.#change(
      () => this.#replica.own.read(ids),
      () => this.#replica.own.revertRead(ids),
      () => this.#service.markRead([...ids], options),
    )
  }

  /** Marks all notifications as read, also those that the list does not have. @throws ServiceError, NetworkError */
  async markAllRead(options: RequestOptions = {}): Promise<void> {
    const unread = this.#snapshot?.notifications.filter(({ state }) => state === 'unread') ?? []
    const ids = unread.map(({ id }) => id)
    await this.#change(
      () => this.#replica.own.read(ids),
      () => this.#replica.own.revertRead(ids),
      () => this.#service.markRead(undefined, options),
    )
  }

  /**
   * Deletes a notification permanently. It leaves the list at once, and comes back when the service does not delete it.
   *
   * @throws ServiceError, NetworkError
   */
  async delete(id: string, options: RequestOptions = {}): Promise<void> {
    await this.#change(
      () => this.#replica.own.delete(id),
      () => this.#replica.own.revertDelete(id),
      () => this.#service.delete(id, options),
    )
  }

  /**
   * Connects now instead of later, or looks whether the connection still works: for applications that learn by themselves
   * that the network or the user has come back (React Native's NetInfo and AppState). Browsers need no call.
   */
  reconnect(): void {
    this.#sync.reconnect()
  }

  /** Closes the connection, for good. The last snapshot stays. */
  close(): void {
    this.#closing.abort()
  }

  /** Shows a change of this device before its event arrives. */
  async #change(apply: () => void, revert: () => void, request: () => Promise<void>): Promise<void> {
    apply()
    this.#changed()
    try {
      await request()
    } catch (error) {
      revert()
      this.#changed()
      throw error
    }
  }

  #changed(): void {
    const { view } = this.#replica
    if (view && !isSame(this.#snapshot, view)) {
      this.#snapshot = { ...view, has_more: view.notifications.length < view.total }
      this.#emitter.emit('change', this.#snapshot)
    }
    for (const notification of this.#replica.takeTold()) this.#emitter.emit('notification', notification)
  }
}

/** Whether a view shows what a snapshot shows. The list of a view that has not changed is the same object. */
const isSame = (snapshot: InboxSnapshot | undefined, view: Omit<InboxSnapshot, 'has_more'>): boolean =>
  snapshot !== undefined &&
  snapshot.notifications === view.notifications &&
  snapshot.unread === view.unread &&
  snapshot.total === view.total &&
  snapshot.seq === view.seq

import { Emitter } from '../emitter.ts'
import type { RequestOptions } from '../options.ts'
import type { DeleteNotifications } from '../records.ts'
import type { AnyOwnTypes, Notification, OwnTypes } from './notification.ts'
import { InboxReplica } from './replica.ts'
import type { InboxService } from './service.ts'
import { type InboxState, InboxSync, reasonOf, type SyncOptions } from './sync.ts'

/** The options of `client.inbox.open()`. */
export interface InboxOptions extends SyncOptions {
  /** How many of the newest notifications are loaded at least. Default: 100. `Infinity`: all. */
  limit?: number | undefined
  /** Closes the inbox. */
  signal?: AbortSignal | undefined
}

/** The state of an inbox at one moment. Each change makes a new object, so snapshots can be compared by identity. */
export interface InboxSnapshot<Types extends OwnTypes<Types> = AnyOwnTypes> {
  /** The newest notifications, newest first, without a gap. */
  readonly notifications: readonly Notification<Types>[]
  /** How many notifications of the whole inbox are unread: the number for a badge. */
  readonly unread: number
  /** How many notifications the whole inbox has. */
  readonly total: number
  /** Whether the inbox has older notifications, which `loadMore()` loads. */
  readonly has_more: boolean
  /** The number of the latest change that the snapshot includes. */
  readonly seq: number
}

/** The events of an inbox, and the value that listeners receive. */
export interface InboxEvents<Types extends OwnTypes<Types> = AnyOwnTypes> {
  /** A notification has arrived since the inbox was opened. Emitted once for each, in order, also after a time offline. */
  notification: Notification<Types>
  /** A notification that was published with `persistent: false`: nothing keeps it, and a device that is offline misses it. */
  signal: Notification<Types>
  /** The list or the unread count has changed. */
  change: InboxSnapshot<Types>
  state: InboxState
  /** A request or the connection has failed. The inbox tries again by itself, unless its state is `closed`. */
  error: unknown
}

/** A live copy of the user's inbox. `client.inbox.open()` opens one; `close()` ends it. */
export class Inbox<Types extends OwnTypes<Types> = AnyOwnTypes> {
  readonly #service: InboxService<Notification<Types>>
  readonly #replica: InboxReplica<Notification<Types>>
  readonly #sync: InboxSync<Notification<Types>>
  readonly #emitter = new Emitter<InboxEvents<Types>>()
  readonly #closing = new AbortController()
  #snapshot: InboxSnapshot<Types> | undefined

  constructor(
    service: InboxService<Notification<Types>>,
    { limit = 100, signal, ...options }: InboxOptions = {},
  ) {
    if (!(limit >= 1)) throw new RangeError('The limit of an inbox is at least 1.')
    if (!options.WebSocket && typeof WebSocket === 'undefined')
      throw new TypeError('This runtime has no WebSocket: pass a class as the option WebSocket.')
    this.#service = service
    this.#replica = new InboxReplica(limit)
    const hooks = {
      onChange: () => this.#changed(),
      onSignal: (notification: Notification<Types>) => this.#emitter.emit('signal', notification),
      onState: (state: InboxState) => this.#emitter.emit('state', state),
      onError: (error: unknown) => this.#emitter.emit('error', error),
    }
    this.#sync = new InboxSync(service, this.#replica, options, hooks, this.#closing.signal)
    const close = () => this.close()
    signal?.addEventListener('abort', close)
    this.#closing.signal.addEventListener('abort', () => signal?.removeEventListener('abort', close))
    if (signal?.aborted) this.close()
    // Starts in a microtask, so that listeners added right after construction receive every event.
    void Promise.resolve().then(() => this.#sync.run())
  }

  /** The latest snapshot; undefined before the first list has arrived. */
  get snapshot(): InboxSnapshot<Types> | undefined {
    return this.#snapshot
  }

  get state(): InboxState {
    return this.#sync.state
  }

  /** Adds a listener. Returns a function that removes it. */
  on<Name extends keyof InboxEvents>(
    name: Name,
    listener: (value: InboxEvents<Types>[Name]) => void,
  ): () => void {
    return this.#emitter.on(name, listener)
  }

  /** Resolves when the first list has arrived. @throws the reason, when the inbox is closed before that */
  async ready(): Promise<InboxSnapshot<Types>> {
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

  /** Loads `count` older notifications into the list. @throws ServiceError, NetworkError */
  async loadMore(count = 50): Promise<InboxSnapshot<Types>> {
    await this.ready()
    this.#replica.wantMore(count)
    await this.#sync.pages.until(() => !this.#replica.needsPage)
    return this.ready()
  }

  /**
   * Marks notifications as read. The list and the unread count change at once, and change back when the request fails.
   *
   * @throws ServiceError, NetworkError
   */
  async markRead(
    { notification_ids: ids }: { notification_ids: readonly string[] },
    options: RequestOptions = {},
  ): Promise<void> {
    if (ids.length === 0) return // The service takes an empty list as all.
    await this.#change(this.#replica.own.read(ids), () => this.#service.markRead([...ids], options))
  }

  /** Marks all notifications of the inbox as read, loaded or not. @throws ServiceError, NetworkError */
  async markAllRead(options: RequestOptions = {}): Promise<void> {
    const unread = this.#snapshot?.notifications.filter(({ state }) => state === 'unread') ?? []
    const ids = unread.map(({ id }) => id)
    await this.#change(this.#replica.own.read(ids), () => this.#service.markRead(undefined, options))
  }

  /**
   * Deletes a notification permanently. The notification leaves the list at once, and comes back when the request fails.
   *
   * @throws ServiceError, NetworkError
   */
  async delete({ id }: { id: string }, options: RequestOptions = {}): Promise<void> {
    await this.#change(this.#replica.own.delete([id]), () => this.#service.delete(id, options))
  }

  /**
   * Deletes up to 1,000 notifications permanently, with one request. They leave the list at once, and come back when the
   * request fails. Unknown ids are ignored.
   *
   * @throws ServiceError, NetworkError
   */
  async deleteMany(
    { notification_ids: ids }: { notification_ids: readonly string[] },
    options: RequestOptions = {},
  ): Promise<void> {
    if (ids.length > 0) await this.#delete(ids, { notification_ids: [...ids] }, options)
  }

  /**
   * Deletes all notifications that have been read, loaded or not. One that `markRead` has marked leaves the list at once only
   * when the service has confirmed the mark.
   *
   * @throws ServiceError, NetworkError
   */
  async deleteRead(options: RequestOptions = {}): Promise<void> {
    await this.#delete(this.#replica.confirmedRead, { state: 'read' }, options)
  }

  /** Deletes all notifications of the inbox, loaded or not. @throws ServiceError, NetworkError */
  async deleteAll(options: RequestOptions = {}): Promise<void> {
    const ids = this.#snapshot?.notifications.map(({ id }) => id) ?? []
    await this.#delete(ids, { all: true }, options)
  }

  /**
   * Connects now instead of later, or checks that the connection still works. Call it in React Native when NetInfo or
   * AppState reports that the network or the user is back; in browsers the inbox listens itself.
   */
  reconnect(): void {
    this.#sync.reconnect()
  }

  /** Closes the inbox for good. The last snapshot stays readable. */
  close(): void {
    this.#closing.abort()
  }

  /** Deletes the selected notifications. `ids`: those that are shown no longer, until the request fails. */
  #delete(ids: readonly string[], selection: DeleteNotifications, options: RequestOptions): Promise<void> {
    return this.#change(this.#replica.own.delete(ids), () => this.#service.deleteSelected(selection, options))
  }

  /** Shows a change of this device before its event arrives, and reverts it when the request fails. */
  async #change(revert: () => void, request: () => Promise<void>): Promise<void> {
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
    for (const notification of this.#replica.takeNew()) this.#emitter.emit('notification', notification)
  }
}

type Shown = Omit<InboxSnapshot, 'notifications'> & { readonly notifications: readonly object[] }

/** Whether a view equals a snapshot. A view whose list has not changed keeps the same array. */
const isSame = (snapshot: Shown | undefined, view: Omit<Shown, 'has_more'>): boolean =>
  snapshot !== undefined &&
  snapshot.notifications === view.notifications &&
  snapshot.unread === view.unread &&
  snapshot.total === view.total &&
  snapshot.seq === view.seq

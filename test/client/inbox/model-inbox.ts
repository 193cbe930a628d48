import type * as messages from '../../../client/src/inbox/messages.ts'
import type { Notification } from '../../../client/src/inbox/notification.ts'

export type InboxEvent = messages.InboxEvent<Notification>
export type InboxPage = messages.InboxPage<Notification>

/** How an inbox stood at one seq. */
type Standing = Omit<InboxPage, 'seq'>

type Numbers = Pick<InboxEvent, 'seq' | 'unread'>

/** An inbox like the service's, in memory. It remembers how it stood at each seq. */
export class ModelInbox {
  readonly history: Standing[] = [{ notifications: [], total: 0, unread: 0 }]
  readonly #events: InboxEvent[] = []
  readonly #keptEvents: number
  #made = 0

  /** `keptEvents` is how many events a socket may have missed. */
  constructor(keptEvents: number) {
    this.#keptEvents = keptEvents
  }

  get seq(): number {
    return this.history.length - 1
  }

  get now(): Standing {
    return this.history[this.seq] ?? { notifications: [], total: 0, unread: 0 }
  }

  publish(): void {
    const id = String(++this.#made).padStart(6, '0')
    const notification: Notification = {
      id,
      type: 'friend_request',
      data: { from_user_id: this.#made, from_display_name: 'Grace' },
      state: 'unread',
      created_at: 1_800_000_000,
    }
    this.#change([notification, ...this.now.notifications], (numbers) => ({
      ...numbers,
      type: 'notification',
      data: notification,
    }))
  }

  /** Marks those with these ids as read; null: all. */
  markRead(ids: string[] | null): void {
    const { notifications } = this.now
    const changed = notifications
      .filter(({ id, state }) => state === 'unread' && (ids === null || ids.includes(id)))
      .map(({ id }) => id)
    if (changed.length === 0) return
    this.#change(
      notifications.map((one) => (changed.includes(one.id) ? { ...one, state: 'read' } : one)),
      (numbers) => ({
        ...numbers,
        type: 'notifications_read',
        data: { notification_ids: ids && changed },
      }),
    )
  }

  delete(id: string): void {
    const left = this.now.notifications.filter((one) => one.id !== id)
    if (left.length < this.now.notifications.length)
      this.#change(left, (numbers) => ({
        ...numbers,
        type: 'notification_deleted',
        data: { notification_id: id },
      }))
  }

  /** Deletes those with these ids with one event; null: all. */
  deleteMany(ids: string[] | null): void {
    const { notifications } = this.now
    const deleted = notifications.map(({ id }) => id).filter((id) => ids === null || ids.includes(id))
    if (deleted.length > 0)
      this.#change(
        notifications.filter(({ id }) => !deleted.includes(id)),
        (numbers) => ({
          ...numbers,
          type: 'notifications_deleted',
          data: { notification_ids: ids && deleted },
        }),
      )
  }

  /** Deletes all that have been read, as the service does. */
  deleteRead(): void {
    this.deleteMany(this.now.notifications.filter(({ state }) => state === 'read').map(({ id }) => id))
  }

  page(limit: number, offset: number): InboxPage {
    const { notifications, total, unread } = this.now
    return { notifications: notifications.slice(offset, offset + limit), total, unread, seq: this.seq }
  }

  /** The first messages of a socket. */
  connect(after: number | undefined): [messages.ReadyMessage, ...InboxEvent[]] {
    const recovered = after !== undefined && after <= this.seq && this.seq - after <= this.#keptEvents
    const seq = recovered ? after : this.seq
    const unread = this.history[seq]?.unread ?? 0
    return [{ type: 'ready', seq, unread, data: { recovered } }, ...this.since(seq)]
  }

  since(seq: number): InboxEvent[] {
    return this.#events.slice(seq)
  }

  /** When a notification was published, and when deleted; seqs. */
  lifeOf(id: string): { published: number; deleted: number | undefined } {
    const published = this.#events.find((event) => event.type === 'notification' && event.data.id === id)
    const deleted = this.history.findIndex(
      ({ notifications }, seq) => seq > (published?.seq ?? 0) && !notifications.some((one) => one.id === id),
    )
    return { published: published?.seq ?? 0, deleted: deleted < 0 ? undefined : deleted }
  }

  /** The ids of all that were ever published, oldest first. */
  get published(): string[] {
    return this.#events.flatMap((event) => (event.type === 'notification' ? [event.data.id] : []))
  }

  #change(notifications: Notification[], eventOf: (numbers: Numbers) => InboxEvent): void {
    const unread = notifications.filter(({ state }) => state === 'unread').length
    this.history.push({ notifications, total: notifications.length, unread })
    this.#events.push(eventOf({ seq: this.seq, unread }))
  }
}

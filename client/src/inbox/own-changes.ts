import type { InboxView } from './view.ts'
import { markedRead } from './view.ts'

/**
 * The changes that this device has requested and whose events have not arrived. Read and deleted are final states, so a view
 * with these changes applied is a state that the inbox will reach.
 */
export class OwnChanges {
  readonly #read = new Set<string>()
  readonly #deleted = new Set<string>()

  read(ids: Iterable<string>): void {
    for (const id of ids) this.#read.add(id)
  }

  delete(id: string): void {
    this.#deleted.add(id)
  }

  /** Drops changes whose request has failed. */
  revertRead(ids: Iterable<string>): void {
    for (const id of ids) this.#read.delete(id)
  }

  revertDelete(id: string): void {
    this.#deleted.delete(id)
  }

  /** Drops the changes that a view already includes. */
  settle({ notifications }: InboxView): void {
    if (this.#read.size + this.#deleted.size === 0) return
    const present = new Map(notifications.map(({ id, state }) => [id, state]))
    for (const id of this.#read) if (present.get(id) !== 'unread') this.#read.delete(id)
    for (const id of this.#deleted) if (!present.has(id)) this.#deleted.delete(id)
  }

  /** The view with these changes applied. */
  over(view: InboxView): InboxView {
    if (this.#read.size + this.#deleted.size === 0) return view
    const isChanged = (id: string) => this.#read.has(id) || this.#deleted.has(id)
    const noLongerUnread = view.notifications.filter(({ id, state }) => state === 'unread' && isChanged(id))
    const left = view.notifications.filter(({ id }) => !this.#deleted.has(id))
    return {
      seq: view.seq,
      unread: view.unread - noLongerUnread.length,
      total: view.total - (view.notifications.length - left.length),
      notifications: markedRead(left, this.#read),
    }
  }
}

import type { Item } from './messages.ts'
import { type InboxView, markedRead } from './view.ts'

/**
 * The changes that this device has requested and whose events have not arrived. Read and deleted are final states, so a view
 * with these changes applied is a state that the inbox will reach.
 */
export class OwnChanges {
  readonly #read = new Set<string>()
  readonly #deleted = new Set<string>()

  /** Marks notifications as read. Returns what reverts the change, for a request that fails. */
  read(ids: readonly string[]): () => void {
    return added(ids, this.#read)
  }

  /** Deletes notifications. Returns what reverts the change, for a request that fails. */
  delete(ids: readonly string[]): () => void {
    return added(ids, this.#deleted)
  }

  /** Drops the changes that a view already includes. */
  settle({ notifications }: InboxView<Item>): void {
    if (this.#read.size + this.#deleted.size === 0) return
    const present = new Map(notifications.map(({ id, state }) => [id, state]))
    for (const id of this.#read) if (present.get(id) !== 'unread') this.#read.delete(id)
    for (const id of this.#deleted) if (!present.has(id)) this.#deleted.delete(id)
  }

  /** The view with these changes applied. */
  over<One extends Item>(view: InboxView<One>): InboxView<One> {
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

/** Adds ids to a set. Returns what takes those away that were new: another request has asked for the others. */
function added(ids: readonly string[], set: Set<string>): () => void {
  const missing = ids.filter((id) => !set.has(id))
  for (const id of missing) set.add(id)
  return () => {
    for (const id of missing) set.delete(id)
  }
}

import type { InboxCounts, PublicationKey } from '../../src/features/notifications/rpc.ts'
import type { InboxChange, InboxEvent, Notification } from '../../src/features/notifications/schema.ts'

/** How many events are kept, so that a socket can continue where another one ended. */
const KEPT_EVENTS = 1_000

interface NotificationRow extends Omit<Notification, 'data'> {
  /** JSON */
  data: string
}

interface EventRow extends Pick<InboxEvent, 'seq' | 'type' | 'unread'> {
  /** JSON */
  data: string
}

interface KeyRow {
  request_hash: string
  /** JSON */
  response: string
}

/**
 * The `InboxStore` of version 1 of the tables, word for word: it makes what is stored in inboxes of that version, and shows
 * that the Worker of that version still runs on later tables.
 */
export class InboxStoreOfVersion1 {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  counts(): InboxCounts {
    return this.#sql.exec<Row<InboxCounts>>('SELECT seq, total, unread FROM counters').one()
  }

  /** A page of notifications, newest first. */
  page(limit: number, offset: number): Notification[] {
    return this.#sql
      .exec<Row<NotificationRow>>(
        'SELECT id, type, data, state, created_at FROM notifications ORDER BY seq DESC LIMIT ? OFFSET ?',
        limit,
        offset,
      )
      .toArray()
      .map((row) => ({ ...row, data: JSON.parse(row.data) }))
  }

  add(notification: Notification): InboxEvent {
    const { id, type, data, state, created_at } = notification
    const event = this.#record({ type: 'notification', data: notification }, 1, 1)
    this.#sql.exec(
      'INSERT INTO notifications (seq, id, type, data, state, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      event.seq,
      id,
      type,
      JSON.stringify(data),
      state,
      created_at,
    )
    return event
  }

  /** Marks the notifications with these ids as read; null: all. Undefined when none of them was unread. */
  markRead(ids: string[] | null): { event: InboxEvent; count: number } | undefined {
    const marked =
      ids === null
        ? this.#sql.exec<{ id: string }>(
            `UPDATE notifications SET state = 'read' WHERE state = 'unread' RETURNING id`,
          )
        : this.#sql.exec<{ id: string }>(
            `UPDATE notifications SET state = 'read'
            WHERE state = 'unread' AND id IN (SELECT value FROM json_each(?)) RETURNING id`,
            JSON.stringify(ids),
          )
    const changed = marked.toArray().map(({ id }) => id)
    if (changed.length === 0) return undefined
    const data = { notification_ids: ids === null ? null : changed }
    return {
      event: this.#record({ type: 'notifications_read', data }, 0, -changed.length),
      count: changed.length,
    }
  }

  /** Deletes a notification; undefined when there is none with this id. */
  remove(id: string): InboxEvent | undefined {
    const [removed] = this.#sql
      .exec<{ state: string }>('DELETE FROM notifications WHERE id = ? RETURNING state', id)
      .toArray()
    if (!removed) return undefined
    const unread = removed.state === 'unread' ? -1 : 0
    return this.#record({ type: 'notification_deleted', data: { notification_id: id } }, -1, unread)
  }

  /** The oldest notification; undefined when there is none. */
  oldest(): { id: string; created_at: number } | undefined {
    return this.#sql
      .exec<{ id: string; created_at: number }>(
        'SELECT id, created_at FROM notifications ORDER BY seq LIMIT 1',
      )
      .toArray()[0]
  }

  /**
   * The events after `seq`, in order, with the unread count at `seq`. Undefined when not all of them are kept, or when
   * the inbox has not reached `seq`.
   */
  since(seq: number): { seq: number; unread: number; events: InboxEvent[] } | undefined {
    const { seq: last, unread } = this.counts()
    if (seq === last) return { seq, unread, events: [] }
    if (seq > last || seq < last - KEPT_EVENTS) return undefined
    const rows = this.#sql
      .exec<Row<EventRow>>('SELECT seq, type, unread, data FROM events WHERE seq >= ? ORDER BY seq', seq)
      .toArray()
    const [first] = rows
    const before = first?.seq === seq ? first.unread : this.#unreadAtBase(seq)
    if (before === undefined) return undefined
    const events = rows
      .filter((row) => row.seq > seq)
      .map(({ data, ...event }): InboxEvent => ({ ...event, data: JSON.parse(data) }))
    return events.length === last - seq ? { seq, unread: before, events } : undefined
  }

  /** The response to an earlier publication with this key, and the hash of its request. */
  findKey({ publisher, key }: PublicationKey, now: number): KeyRow | undefined {
    return this.#sql
      .exec<Row<KeyRow>>(
        'SELECT request_hash, response FROM idempotency WHERE publisher = ? AND key = ? AND expires_at > ?',
        publisher,
        key,
        now,
      )
      .toArray()[0]
  }

  recordKey(
    { publisher, key, request_hash }: PublicationKey,
    response: Notification,
    expires_at: number,
  ): void {
    this.#sql.exec(
      `INSERT INTO idempotency (publisher, key, request_hash, response, expires_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (publisher, key) DO UPDATE SET
        request_hash = excluded.request_hash, response = excluded.response, expires_at = excluded.expires_at`,
      publisher,
      key,
      request_hash,
      JSON.stringify(response),
      expires_at,
    )
  }

  /** Deletes the keys that have expired. Returns when the next one expires, in Unix seconds. */
  dropExpiredKeys(now: number): number | undefined {
    this.#sql.exec('DELETE FROM idempotency WHERE expires_at <= ?', now)
    return this.#sql
      .exec<{ expires_at: number }>('SELECT expires_at FROM idempotency ORDER BY expires_at LIMIT 1')
      .toArray()[0]?.expires_at
  }

  /**
   * Deletes all notifications, events and keys, once for each erasure: a repetition leaves later ones alone. `mark` is
   * the erasure's id, which sorts by time. The seq increases past every deleted event, so that no client that reconnects
   * is told that it has missed nothing. Returns the number of deleted rows.
   */
  erase(mark: string): number {
    const isNew = this.#sql
      .exec(
        `INSERT INTO erased (one, mark) VALUES (1, ?)
        ON CONFLICT (one) DO UPDATE SET mark = excluded.mark WHERE mark < excluded.mark RETURNING one`,
        mark,
      )
      .toArray()
    if (isNew.length === 0) return 0
    const removed = this.#sql.exec<{ state: string }>('DELETE FROM notifications RETURNING state').toArray()
    const events = this.#sql.exec<{ seq: number }>('DELETE FROM events RETURNING seq').toArray()
    const keys = this.#sql.exec('DELETE FROM idempotency RETURNING key').toArray()
    const count = removed.length + events.length + keys.length
    if (removed.length + events.length === 0) return count
    this.#sql.exec(
      'UPDATE counters SET seq = seq + 1, total = total - ?, unread = unread - ?',
      removed.length,
      removed.filter(({ state }) => state === 'unread').length,
    )
    this.#sql.exec('UPDATE counters SET base_seq = seq, base_unread = unread')
    return count
  }

  /** The unread count at `seq` if the inbox began there, or was erased there. */
  #unreadAtBase(seq: number): number | undefined {
    const { base_seq, base_unread } = this.#sql
      .exec<{ base_seq: number; base_unread: number }>('SELECT base_seq, base_unread FROM counters')
      .one()
    return seq === base_seq ? base_unread : undefined
  }

  /** Writes a change as the event with the next seq, and adds to the counters. */
  #record(change: InboxChange, total: number, unread: number): InboxEvent {
    const now = this.#sql
      .exec<{ seq: number; unread: number }>(
        'UPDATE counters SET seq = seq + 1, total = total + ?, unread = unread + ? RETURNING seq, unread',
        total,
        unread,
      )
      .one()
    this.#sql.exec(
      'INSERT INTO events (seq, type, unread, data, created_at) VALUES (?, ?, ?, ?, ?)',
      now.seq,
      change.type,
      now.unread,
      JSON.stringify(change.data),
      Math.floor(Date.now() / 1_000),
    )
    // One more than KEPT_EVENTS: it holds the unread count before the first of them.
    this.#sql.exec('DELETE FROM events WHERE seq < ?', now.seq - KEPT_EVENTS)
    return { ...change, ...now }
  }
}

/** A row in the type that SqlStorage requires: a mapped type has the index signature that an interface lacks. */
type Row<Of> = { [Column in keyof Of]: Of[Column] & SqlStorageValue }

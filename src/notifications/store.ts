import type { Change, InboxEvent } from './event.ts'
import type { Notification } from './schema.ts'

/** As many of the latest events are kept, so that a socket can go on where another one broke off. */
const KEPT_EVENTS = 1_000

/** How an inbox stands: true at `seq`. */
export interface InboxCounts {
  seq: number
  total: number
  unread: number
}

interface NotificationRow extends Omit<Notification, 'data'> {
  seq: number
  data: string
}

interface EventRow {
  seq: number
  type: InboxEvent['type']
  unread: number
  data: string
}

/**
 * The rows of one user's inbox, in the SQLite of its Durable Object. Every method is synchronous, and each change is
 * one transaction of the object: rows, counters and the event change together or not at all.
 */
export class InboxStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    sql.exec(`
      CREATE TABLE IF NOT EXISTS notifications (
        seq INTEGER PRIMARY KEY, -- of the event that brought it
        id TEXT NOT NULL UNIQUE,
        type TEXT NOT NULL,
        data TEXT NOT NULL, -- JSON
        state TEXT NOT NULL CHECK (state IN ('unread', 'read')),
        created_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX IF NOT EXISTS notifications_unread ON notifications (seq) WHERE state = 'unread';
      CREATE TABLE IF NOT EXISTS events (
        seq INTEGER PRIMARY KEY,
        type TEXT NOT NULL,
        unread INTEGER NOT NULL, -- as it stood then
        data TEXT NOT NULL, -- JSON
        created_at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS standing (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        seq INTEGER NOT NULL, -- never goes back
        total INTEGER NOT NULL CHECK (total >= 0),
        unread INTEGER NOT NULL CHECK (unread BETWEEN 0 AND total),
        base_seq INTEGER NOT NULL, -- where the inbox began, or began anew: of that seq no event is kept
        base_unread INTEGER NOT NULL
      ) STRICT;
      INSERT OR IGNORE INTO standing (one, seq, total, unread, base_seq, base_unread) VALUES (1, 0, 0, 0, 0, 0);
      CREATE TABLE IF NOT EXISTS erased (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        mark TEXT NOT NULL -- of the last erasure
      ) STRICT;
      CREATE TABLE IF NOT EXISTS idempotency (
        publisher TEXT NOT NULL,
        key TEXT NOT NULL,
        request_hash TEXT NOT NULL,
        response TEXT NOT NULL, -- JSON
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (publisher, key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS idempotency_by_expiry ON idempotency (expires_at);
    `)
  }

  counts(): InboxCounts {
    return this.#sql.exec<Row<InboxCounts>>('SELECT seq, total, unread FROM standing').one()
  }

  /** A page of the inbox, newest first. */
  page(limit: number, offset: number): Notification[] {
    return this.#sql
      .exec<Row<NotificationRow>>(
        'SELECT seq, id, type, data, state, created_at FROM notifications ORDER BY seq DESC LIMIT ? OFFSET ?',
        limit,
        offset,
      )
      .toArray()
      .map(({ id, type, data, state, created_at }) => ({
        id,
        type,
        data: JSON.parse(data),
        state,
        created_at,
      }))
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

  /** Marks those of the ids that are unread, or, with null, all; undefined when none was. Tells how many. */
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

  /** Removes a notification; undefined when there is none of that id. */
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
   * What came after `seq`, in order, with how many were unread at it; undefined when not everything is kept any
   * more, or when the inbox has not come that far.
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

  /** What an earlier publication with this key was answered, and the hash of its request. */
  recall(
    publisher: string,
    key: string,
    now: number,
  ): { request_hash: string; response: string } | undefined {
    return this.#sql
      .exec<{ request_hash: string; response: string }>(
        'SELECT request_hash, response FROM idempotency WHERE publisher = ? AND key = ? AND expires_at > ?',
        publisher,
        key,
        now,
      )
      .toArray()[0]
  }

  remember(publisher: string, key: string, request_hash: string, response: string, expires_at: number): void {
    this.#sql.exec(
      `INSERT INTO idempotency (publisher, key, request_hash, response, expires_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (publisher, key) DO UPDATE SET
        request_hash = excluded.request_hash, response = excluded.response, expires_at = excluded.expires_at`,
      publisher,
      key,
      request_hash,
      response,
      expires_at,
    )
  }

  /**
   * Erases what is there, and all events, as if they were too old; once for each erasure, so that what came since is
   * left alone when it is repeated. `mark` is the erasure's id, which sorts behind that of the one before. The seq goes
   * on, and past this, so that nobody who comes back is told that nothing was missed. Tells how many rows there were.
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
      'UPDATE standing SET seq = seq + 1, total = total - ?, unread = unread - ?',
      removed.length,
      removed.filter(({ state }) => state === 'unread').length,
    )
    this.#sql.exec('UPDATE standing SET base_seq = seq, base_unread = unread')
    return count
  }

  /** Forgets keys that are no longer looked at. Tells when the next one is due, in Unix seconds. */
  forgetKeys(now: number): number | undefined {
    this.#sql.exec('DELETE FROM idempotency WHERE expires_at <= ?', now)
    return this.#sql
      .exec<{ expires_at: number }>('SELECT expires_at FROM idempotency ORDER BY expires_at LIMIT 1')
      .toArray()[0]?.expires_at
  }

  /** How many were unread where the inbox began, or began anew, if that is the seq. */
  #unreadAtBase(seq: number): number | undefined {
    const { base_seq, base_unread } = this.#sql
      .exec<{ base_seq: number; base_unread: number }>('SELECT base_seq, base_unread FROM standing')
      .one()
    return seq === base_seq ? base_unread : undefined
  }

  /** Writes down a change with the next seq, and what it does to the counters. */
  #record(change: Change, total: number, unread: number): InboxEvent {
    const now = this.#sql
      .exec<{ seq: number; unread: number }>(
        'UPDATE standing SET seq = seq + 1, total = total + ?, unread = unread + ? RETURNING seq, unread',
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
    // One more than is kept: it tells how many were unread before the first of them.
    this.#sql.exec('DELETE FROM events WHERE seq < ?', now.seq - KEPT_EVENTS)
    return { ...change, ...now }
  }
}

/** A row as SqlStorage wants its type: an interface has no index signature, a mapped type has. */
type Row<Of> = { [Column in keyof Of]: Of[Column] & SqlStorageValue }

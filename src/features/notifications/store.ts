import { createTables, hasTables } from '../../platform/lib/object-tables.ts'
import type { Row } from '../../platform/lib/sql-row.ts'
import { type Added, EventLog } from './events.ts'
import { PublicationKeys } from './keys.ts'
import { steps } from './migrations.ts'
import { numberedId, numberIn } from './number.ts'
import type { InboxCounts } from './rpc.ts'
import type { InboxChange, InboxEvent, Notification } from './schema.ts'

/** A deleted row of `notifications`. */
interface DeletedRow extends Omit<Notification, 'data'> {
  seq: number
  /** JSON */
  data: string
  unread: number
}

const DELETED = 'seq, id, type, data, state, created_at, unread'

interface Counters extends InboxCounts {
  /** All notifications up to this seq are read. */
  read_through: number
}

/**
 * The rows of one user's inbox, in the SQLite of its Durable Object. Every method is synchronous. Changes are made within
 * `transaction`, which writes the counters once. The counters stay in memory between calls, because only this object writes
 * to its storage.
 */
export class InboxStore {
  readonly #storage: DurableObjectStorage
  readonly #sql: SqlStorage
  readonly #log: EventLog
  /** The keys of publications. */
  readonly keys: PublicationKeys
  #counters: Counters | undefined
  #isChanged = false

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = storage.sql
    this.#log = new EventLog(storage.sql)
    this.keys = new PublicationKeys(storage)
  }

  /** Runs changes, and writes all of them or none. */
  transaction<Answer>(change: () => Answer): Answer {
    try {
      return this.#storage.transactionSync(() => {
        const answer = change()
        if (this.#isChanged) this.#writeCounters()
        return answer
      })
    } catch (error) {
      this.#counters = undefined
      throw error
    } finally {
      this.#isChanged = false
    }
  }

  /** The counters; zeros while the inbox has no tables. */
  counts(): InboxCounts {
    const { seq, total, unread } = this.#known() ?? { seq: 0, total: 0, unread: 0 }
    return { seq, total, unread }
  }

  /** A page of notifications, newest first. */
  page(limit: number, offset: number): Notification[] {
    if (!this.#known()) return []
    return this.#sql
      .exec<Row<Omit<Notification, 'data'> & { data: string }>>(
        'SELECT id, type, data, state, created_at FROM notifications ORDER BY seq DESC LIMIT ? OFFSET ?',
        limit,
        offset,
      )
      .toArray()
      .map((row) => ({ ...row, data: JSON.parse(row.data) }))
  }

  /** Adds a notification to the inbox of a user, under a new id. */
  add(
    { type, data, state, created_at }: Omit<Notification, 'id'>,
    user_id: string,
  ): InboxEvent & { data: Notification } {
    const { seq, unread } = this.#advance(1, 1)
    const id = numberedId(user_id, seq)
    this.#sql.exec(
      'INSERT INTO notifications (seq, id, type, data, state, created_at, unread) VALUES (?, ?, ?, ?, ?, ?, ?)',
      seq,
      id,
      type,
      JSON.stringify(data),
      state,
      created_at,
      unread,
    )
    return { type: 'notification', seq, unread, data: { id, type, data, state, created_at } }
  }

  /** Marks the notifications with these ids as read; null: all. Undefined when none of them was unread. */
  markRead(ids: string[] | null): { event: InboxEvent; count: number } | undefined {
    const unread = this.#known()?.unread ?? 0
    if (unread === 0) return undefined
    const changed = ids === null ? undefined : this.#readSome(ids)
    if (changed?.length === 0) return undefined
    if (changed === undefined) this.#readAll()
    const count = changed?.length ?? unread
    const data = { notification_ids: changed ?? null }
    return { event: this.#record({ type: 'notifications_read', data }, 0, -count), count }
  }

  /** Deletes a notification; undefined when there is none with this id. */
  remove(id: string): InboxEvent | undefined {
    if (!this.#known()) return undefined
    const seq = numberIn(id)
    if (seq === undefined) return undefined
    const [removed] = this.#delete('seq = ? AND id = ?', seq, id)
    return removed && this.#recordDeletion(removed)
  }

  /** Deletes up to `max` of the oldest notifications; with `until`, only those created by that time (Unix seconds). */
  removeOldest(max: number, until = Number.POSITIVE_INFINITY): InboxEvent[] {
    if (max <= 0 || !this.#known()) return []
    const oldest = this.#sql.exec<{ seq: number; created_at: number }>(
      'SELECT seq, created_at FROM notifications ORDER BY seq LIMIT ?',
      max,
    )
    let last: number | undefined
    for (const { seq, created_at } of oldest) {
      if (created_at > until) break
      last = seq
    }
    if (last === undefined) return []
    const removed = this.#delete('seq <= ?', last)
    return removed.sort((one, other) => one.seq - other.seq).map((row) => this.#recordDeletion(row))
  }

  /** When the oldest notification was created, in Unix seconds; undefined when there is none. */
  oldestTime(): number | undefined {
    if (!this.#known()) return undefined
    return this.#sql
      .exec<{ created_at: number }>('SELECT created_at FROM notifications ORDER BY seq LIMIT 1')
      .toArray()[0]?.created_at
  }

  /**
   * The events after `seq`, in order, with the unread count at `seq`. Undefined when not all of them are kept, or when
   * the inbox has not reached `seq`.
   */
  since(seq: number): { seq: number; unread: number; events: InboxEvent[] } | undefined {
    const { seq: last, unread } = this.counts()
    if (seq === last) return { seq, unread, events: [] }
    return seq > last ? undefined : this.#log.since(seq, last)
  }

  /**
   * Deletes all notifications, events and keys, once for each erasure: a repetition keeps those that came after it. `mark`
   * is the erasure's id, which sorts by time. The seq increases past every deleted event, so that a client that reconnects
   * learns that it has missed events. Returns the number of deleted rows.
   */
  erase(mark: string): number {
    const counters = this.#required()
    const isNew = this.#sql
      .exec(
        `INSERT INTO erased (one, mark) VALUES (1, ?)
        ON CONFLICT (one) DO UPDATE SET mark = excluded.mark WHERE mark < excluded.mark RETURNING one`,
        mark,
      )
      .toArray()
    if (isNew.length === 0) return 0
    const removed = this.#sql.exec('DELETE FROM notifications RETURNING seq').toArray().length
    const events = this.#sql.exec('DELETE FROM events RETURNING seq').toArray().length
    const keys = this.keys.removeAll()
    if (removed + events === 0) return keys
    const { seq } = this.#advance(-counters.total, -counters.unread)
    this.#sql.exec('UPDATE counters SET base_seq = ?, base_unread = 0', seq)
    return removed + events + keys
  }

  /** The counters; undefined while the inbox has no tables. */
  #known(): Counters | undefined {
    if (!this.#counters && hasTables(this.#storage))
      this.#counters = this.#sql
        .exec<Row<Counters>>('SELECT seq, total, unread, read_through FROM counters')
        .one()
    return this.#counters
  }

  /** The counters of an inbox that is about to change. Creates its tables if it has none. */
  #required(): Counters {
    if (!this.#known()) createTables(this.#storage, steps)
    const counters = this.#known()
    if (!counters) throw new Error('an inbox has counters')
    return counters
  }

  /** Moves the counters to the next seq, adds the differences, and returns the counters. */
  #advance(total: number, unread: number): { seq: number; unread: number } {
    const counters = this.#required()
    counters.seq += 1
    counters.total += total
    counters.unread += unread
    this.#isChanged = true
    return counters
  }

  #writeCounters(): void {
    const { seq, total, unread, read_through } = this.#required()
    this.#sql.exec(
      'UPDATE counters SET seq = ?, total = ?, unread = ?, read_through = ?',
      seq,
      total,
      unread,
      read_through,
    )
  }

  /** Marks all notifications as read. */
  #readAll(): void {
    const counters = this.#required()
    this.#sql.exec(
      `UPDATE notifications SET state = 'read' WHERE seq > ? AND state = 'unread'`,
      counters.read_through,
    )
    counters.read_through = counters.seq
  }

  /** Marks the notifications with these ids as read. Returns the ids of those that were unread. */
  #readSome(ids: string[]): string[] {
    const numbered = ids.flatMap((id): [string, number][] => {
      const seq = numberIn(id)
      return seq === undefined ? [] : [[id, seq]]
    })
    return this.#sql
      .exec<{ id: string }>(
        `UPDATE notifications SET state = 'read' FROM json_each(?) AS wanted
          WHERE notifications.seq = wanted.value AND notifications.id = wanted.key AND state = 'unread'
          RETURNING notifications.id`,
        JSON.stringify(Object.fromEntries(numbered)),
      )
      .toArray()
      .map(({ id }) => id)
  }

  #delete(condition: string, ...values: (string | number)[]): DeletedRow[] {
    return this.#sql
      .exec<Row<DeletedRow>>(`DELETE FROM notifications WHERE ${condition} RETURNING ${DELETED}`, ...values)
      .toArray()
  }

  #recordDeletion({ unread, seq, data, ...notification }: DeletedRow): InboxEvent {
    const change = { type: 'notification_deleted', data: { notification_id: notification.id } } as const
    const added = { seq, unread, notification: { ...notification, data: JSON.parse(data) } }
    return this.#record(change, -1, notification.state === 'unread' ? -1 : 0, added)
  }

  /** Writes a change as the event with the next seq. `total` and `unread` are differences of the counters. */
  #record(change: InboxChange, total: number, unread: number, added?: Added): InboxEvent {
    const now = this.#advance(total, unread)
    return this.#log.record({ ...change, seq: now.seq, unread: now.unread }, added)
  }
}

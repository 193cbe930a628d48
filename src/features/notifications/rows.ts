import { isId, newId } from '../../platform/db/id.ts'
import type { Row } from '../../platform/lib/durable-object.ts'
import type { ListNotifications, Notification, NotificationSelection } from './schema.ts'

/** A notification to add. */
export interface NewNotification extends Omit<Notification, 'id'> {
  /** When it expires by its own time, in Unix seconds. */
  expires_at?: number | undefined
  /** The number of the announcement that it is. */
  announcement?: number
}

interface NewRow extends NewNotification {
  seq: number
  id: string
  /** The count at this seq. */
  unread: number
}

/** A deleted row. */
export interface DeletedRow extends Omit<Notification, 'data'> {
  seq: number
  /** JSON; null when it was not asked for. */
  data: string | null
  unread: number
}

/** SQL: the notifications that are no announcements; with a condition on `expires_at`, by its index. */
const OWN = 'notifications INDEXED BY notifications_expiring WHERE announcement IS NULL'
/** SQL: the notifications that are announcements. Each has an `expires_at`. */
const ANNOUNCED = 'notifications INDEXED BY notifications_announced WHERE announcement IS NOT NULL'

/** The table `notifications` of an inbox that has tables. Events and counters are up to the caller (store.ts). */
export class NotificationRows {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** A page, newest first: all, or only those in a state and of a type. Nothing up to `read_through` is unread. */
  page({ limit, offset, state, type }: ListNotifications, read_through: number): Notification[] {
    const first = state === 'unread' ? read_through : 0
    const conditions = [state && 'AND state = ?', type && 'AND type = ?'].filter(Boolean).join(' ')
    const values = [state, type].filter((value) => value !== undefined)
    const rows = this.#sql
      .exec(
        `SELECT id, type, data, state, created_at FROM notifications
          WHERE seq > ? ${conditions} ORDER BY seq DESC LIMIT ? OFFSET ?`,
        first,
        ...values,
        limit,
        offset,
      )
      // As arrays, which take half as long as objects.
      .raw<[id: string, type: string, data: string, state: Notification['state'], created_at: number]>()
    return Array.from(rows, ([id, type, data, state, created_at]) => ({
      id,
      type,
      data: JSON.parse(data),
      state,
      created_at,
    }))
  }

  insert(row: NewRow): void {
    this.#sql.exec(
      `INSERT INTO notifications (seq, id, type, data, state, created_at, unread, expires_at, announcement)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.seq,
      row.id,
      row.type,
      JSON.stringify(row.data),
      row.state,
      row.created_at,
      row.unread,
      row.expires_at ?? null,
      row.announcement ?? null,
    )
  }

  /** The seq and the time of the `max` oldest notifications, oldest first. */
  oldest(max: number): { seq: number; created_at: number }[] {
    return this.#sql
      .exec<{ seq: number; created_at: number }>(
        'SELECT seq, created_at FROM notifications ORDER BY seq LIMIT ?',
        max,
      )
      .toArray()
  }

  /** When the next notification expires by its own time, in Unix seconds; undefined when none does. */
  nextExpiry(): number | undefined {
    const times = [`${OWN} AND expires_at IS NOT NULL`, ANNOUNCED].flatMap((found) =>
      this.#sql
        .exec<{ expires_at: number }>(`SELECT expires_at FROM ${found} ORDER BY expires_at LIMIT 1`)
        .toArray(),
    )
    return times.length > 0 ? Math.min(...times.map(({ expires_at }) => expires_at)) : undefined
  }

  /** The notifications that are announcements. */
  announcements(): { seq: number; announcement: number }[] {
    return this.#sql
      .exec<{ seq: number; announcement: number }>(`SELECT seq, announcement FROM ${ANNOUNCED}`)
      .toArray()
  }

  /** Marks all after this seq as read. */
  markAllRead(after: number): void {
    this.#sql.exec(`UPDATE notifications SET state = 'read' WHERE seq > ? AND state = 'unread'`, after)
  }

  /** Marks the notifications with these ids as read. Returns the ids of the unread ones among them. */
  markRead(ids: readonly string[]): string[] {
    return this.#sql
      .exec<{ id: string }>(
        `UPDATE notifications SET state = 'read' FROM json_each(?) AS wanted
          WHERE notifications.seq = wanted.value AND notifications.id = wanted.key AND state = 'unread'
          RETURNING notifications.id`,
        JSON.stringify(numbersOf(ids)),
      )
      .toArray()
      .map(({ id }) => id)
  }

  /** Deletes the selected notifications. As every deletion, it returns the rows, with their data from the seq `first` on. */
  deleteSelected(selection: NotificationSelection, first: number): DeletedRow[] {
    if (selection === 'all') return this.#delete('1', [], first)
    if (selection === 'read') return this.#delete(`state = 'read'`, [], first)
    const numbers = numbersOf(selection.notification_ids)
    return this.#delete(
      'seq IN (SELECT value FROM json_each(?)) AND id IN (SELECT value FROM json_each(?))',
      [JSON.stringify(Object.values(numbers)), JSON.stringify(Object.keys(numbers))],
      first,
    )
  }

  /** Deletes the notification with this id, if it exists. */
  deleteOne(id: string, first: number): DeletedRow[] {
    const seq = numberIn(id)
    return seq === undefined ? [] : this.#delete('seq = ? AND id = ?', [seq, id], first)
  }

  /** Deletes the notifications with these seqs. */
  deleteSeqs(seqs: readonly number[], first: number): DeletedRow[] {
    return this.#delete('seq IN (SELECT value FROM json_each(?))', [JSON.stringify(seqs)], first)
  }

  /** Deletes the notifications up to this seq. */
  deleteThrough(seq: number, first: number): DeletedRow[] {
    return this.#delete('seq <= ?', [seq], first)
  }

  /** Deletes up to `max` notifications that have expired by their own time at `now` (Unix seconds). */
  deleteExpired(max: number, now: number, first: number): DeletedRow[] {
    const expired = `SELECT seq FROM ${OWN} AND expires_at <= ?
      UNION ALL SELECT seq FROM ${ANNOUNCED} AND expires_at <= ? LIMIT ?`
    return this.#delete(`seq IN (${expired})`, [now, now, max], first)
  }

  /** Deletes all, and returns how many there were. */
  clear(): number {
    return this.#sql.exec('DELETE FROM notifications RETURNING seq').toArray().length
  }

  /** Returns the deleted rows in the order of their seq. */
  #delete(condition: string, values: (string | number)[], first: number): DeletedRow[] {
    return this.#sql
      .exec<Row<DeletedRow>>(
        `DELETE FROM notifications WHERE ${condition}
          RETURNING seq, id, type, iif(seq >= ?, data, NULL) AS data, state, created_at, unread`,
        ...values,
        first,
      )
      .toArray()
      .sort((one, other) => one.seq - other.seq)
  }
}

/** The seq of each id that may be one of an inbox's. */
function numbersOf(ids: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    ids.flatMap((id): [string, number][] => {
      const seq = numberIn(id)
      return seq === undefined ? [] : [[id, seq]]
    }),
  )
}

/** The number of hexadecimal digits at the end of a notification's id that are its seq. */
const DIGITS = 10
const LARGEST = 16 ** DIGITS - 1

/**
 * A new id of a notification. It ends in the seq of the event that adds it, so that an inbox finds it by the key of its
 * table and needs no index of ids. The rest is as in any id: the time, the owner's partition, and 26 random bits.
 */
export function numberedId(user_id: string, seq: number): string {
  if (seq > LARGEST) throw new Error(`an inbox has no more than ${LARGEST} events`)
  return newId(user_id).slice(0, -DIGITS) + seq.toString(16).padStart(DIGITS, '0')
}

/** The seq in an id of `numberedId`. For another id the number has no meaning; for other text it is undefined. */
function numberIn(id: string): number | undefined {
  return isId(id) ? Number.parseInt(id.slice(-DIGITS), 16) : undefined
}

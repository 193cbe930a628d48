import type { Row } from '../../platform/lib/durable-object.ts'
import type { InboxEvent } from './messages.ts'
import type { Notification } from './schema.ts'

/** The number of events that are kept, so that a socket can continue where another one ended. */
const KEPT_EVENTS = 1_000

/** The most characters of the additions that the event of many deletions stores. SQLite has rows of up to 2 MB. */
const MAX_ADDITIONS = 500_000
/** The most notifications that one event deletes. */
export const DELETED_PER_EVENT = 10_000

/** The event that added a notification. The event of its deletion stores it. */
export interface Added {
  seq: number
  unread: number
  notification: Notification
}

interface EventRow extends Pick<InboxEvent, 'seq' | 'type' | 'unread'> {
  /** JSON */
  data: string
  /** JSON of an `Added` */
  added: string | null
  /** JSON of a list of `Added` */
  additions: string | null
}

interface NotificationRow extends Pick<Notification, 'id' | 'type' | 'created_at'> {
  seq: number
  unread: number
  /** JSON */
  data: string
}

/**
 * The events of an inbox. The table `events` has the events of reading and deleting. The event that added a notification is read
 * from the notification's row, and after the notification's deletion from the row of the deletion.
 */
export class EventLog {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /**
   * Writes an event of reading or deleting. `added`: the events that added the deleted notifications. When those of many
   * deletions are too long, they are left out, and a socket that has not seen them all reads the list again.
   */
  record(event: InboxEvent, added: readonly Added[] = []): InboxEvent {
    const { seq, type, unread, data } = event
    const first = firstKept(seq)
    const kept = added.filter((addition) => addition.seq >= first)
    const isOne = type === 'notification_deleted'
    const many = isOne || kept.length === 0 ? null : JSON.stringify(kept)
    this.#sql.exec(
      'INSERT INTO events (seq, type, unread, data, created_at, added, additions) VALUES (?, ?, ?, ?, ?, ?, ?)',
      seq,
      type,
      unread,
      JSON.stringify(data),
      Math.floor(Date.now() / 1_000),
      isOne && kept[0] ? JSON.stringify(kept[0]) : null,
      many !== null && many.length <= MAX_ADDITIONS ? many : null,
    )
    this.#sql.exec('DELETE FROM events WHERE seq < ?', first)
    return event
  }

  /** The events after `seq` up to `last`, in order, with the unread count at `seq`. Undefined when not all are kept. */
  since(seq: number, last: number): { seq: number; unread: number; events: InboxEvent[] } | undefined {
    if (seq < last - KEPT_EVENTS) return undefined
    const found = [...this.#recorded(seq), ...this.#published(seq)].sort((one, other) => one.seq - other.seq)
    const [first] = found
    const unread = first?.seq === seq ? first.unread : this.#unreadAtBase(seq)
    const events = found.filter((event) => event.seq > seq)
    return unread !== undefined && events.length === last - seq ? { seq, unread, events } : undefined
  }

  /** The events of the table from `seq` on, and the events that their rows store as `added`. */
  #recorded(seq: number): InboxEvent[] {
    return this.#sql
      .exec<Row<EventRow>>('SELECT seq, type, unread, data, added, additions FROM events WHERE seq >= ?', seq)
      .toArray()
      .flatMap(({ data, added, additions, ...event }): InboxEvent[] => {
        const recorded: InboxEvent = { ...event, data: JSON.parse(data) }
        const publications: Added[] = JSON.parse(additions ?? `[${added ?? ''}]`)
        return [recorded, ...publications.filter((addition) => addition.seq >= seq).map(additionOf)]
      })
  }

  /** The events that added the present notifications, from `seq` on. */
  #published(seq: number): InboxEvent[] {
    return this.#sql
      .exec<Row<NotificationRow>>(
        'SELECT seq, id, type, data, created_at, unread FROM notifications WHERE seq >= ?',
        seq,
      )
      .toArray()
      .map(({ seq, unread, id, type, data, created_at }) =>
        additionOf({
          seq,
          unread,
          notification: { id, type, data: JSON.parse(data), state: 'unread', created_at },
        }),
      )
  }

  /** The unread count at `seq` if the inbox began there, or was erased there. */
  #unreadAtBase(seq: number): number | undefined {
    const { base_seq, base_unread } = this.#sql
      .exec<{ base_seq: number; base_unread: number }>('SELECT base_seq, base_unread FROM counters')
      .one()
    return seq === base_seq ? base_unread : undefined
  }
}

/**
 * The first seq that the log keeps at `seq`. The log keeps KEPT_EVENTS + 1 events: the extra one has the unread count before the
 * others.
 */
export function firstKept(seq: number): number {
  return seq - KEPT_EVENTS
}

/** The event that added a notification, as it was sent: the notification was unread. */
function additionOf({ seq, unread, notification }: Added): InboxEvent {
  const { id, type, data, created_at } = notification
  return { type: 'notification', seq, unread, data: { id, type, data, state: 'unread', created_at } }
}

import type { Announcements } from '../announcements/row.ts'
import { InboxCounters } from './counters.ts'
import { type Added, DELETED_PER_EVENT, EventLog, firstKept } from './event-log.ts'
import { PublicationKeys } from './keys.ts'
import type { InboxChange, InboxEvent } from './messages.ts'
import { MutesCopy } from './mutes.ts'
import { type DeletedRow, type NewNotification, NotificationRows, numberedId } from './rows.ts'
import type { Announced, InboxCounts, PublicationKey } from './rpc.ts'
import type { ListNotifications, Notification, NotificationSelection } from './schema.ts'

/**
 * The stored state of one user's inbox, in the SQLite of its Durable Object. Each change of its rows is an event and changes the
 * counters. Every method is synchronous. Changes are made within `transaction`.
 */
export class InboxStore {
  readonly #sql: SqlStorage
  readonly #rows: NotificationRows
  readonly #log: EventLog
  readonly #counters: InboxCounters
  /** The keys of publications. */
  readonly keys: PublicationKeys
  /** The users whom the user has muted. */
  readonly mutes: MutesCopy

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    this.#rows = new NotificationRows(storage.sql)
    this.#log = new EventLog(storage.sql)
    this.#counters = new InboxCounters(storage)
    this.keys = new PublicationKeys(storage)
    this.mutes = new MutesCopy(storage)
  }

  /** Runs changes, and writes all of them or none. */
  transaction<Answer>(change: () => Answer): Answer {
    return this.#counters.transaction(change)
  }

  /** The counters; zeros while the inbox has no tables. */
  counts(): InboxCounts {
    const { seq, total, unread } = this.#counters.known ?? { seq: 0, total: 0, unread: 0 }
    return { seq, total, unread }
  }

  /** Creates the tables of an inbox that has none. */
  open(): void {
    if (!this.#counters.known) this.transaction(() => this.#counters.required)
  }

  /** A page of notifications, newest first. */
  page(query: ListNotifications): Notification[] {
    const { known } = this.#counters
    return known ? this.#rows.page(query, known.read_through) : []
  }

  /** Adds a notification to the inbox of a user, under a new id. */
  add(notification: NewNotification, user_id: string): InboxEvent & { data: Notification } {
    const { type, data, state, created_at } = notification
    const { seq, unread } = this.#counters.advance(1, 1)
    const id = numberedId(user_id, seq)
    this.#rows.insert({ ...notification, seq, id, unread })
    return { type: 'notification', seq, unread, data: { id, type, data, state, created_at } }
  }

  /** Whether the inbox has to sync announcements: it lacks the latest one, or one that it has may have ended. */
  isBehind({ version, latest, only_open }: Announced): boolean {
    if (only_open && !this.#counters.known) return false
    const announced = this.#counters.known?.announced ?? 0
    if (latest > announced) return true
    return announced > 0 && version > announced && this.#rows.announcements().length > 0
  }

  /** Adds the announcements that the inbox lacks at `now` (Unix seconds), and deletes those that have ended. */
  sync({ version, announcements }: Announcements, user_id: string, now: number): InboxEvent[] {
    const { known } = this.#counters
    const announced = known?.announced ?? 0
    if (version <= announced) return []
    const numbers = new Set(announcements.map(({ number }) => number))
    const held = known ? this.#rows.announcements() : []
    const ended = held.filter(({ announcement }) => !numbers.has(announcement)).map(({ seq }) => seq)
    const removed = ended.length > 0 ? this.#recordEach(this.#rows.deleteSeqs(ended, this.#first())) : []
    const added = announcements
      .filter(({ number, expires_at }) => number > announced && expires_at > now)
      .sort((one, other) => one.number - other.number)
      .map(({ number, type, data, expires_at }) =>
        this.add({ type, data, state: 'unread', created_at: now, expires_at, announcement: number }, user_id),
      )
    if (held.length + added.length > 0) this.#counters.set({ announced: version })
    return [...removed, ...added]
  }

  /** Marks the notifications with these ids as read; null: all. Undefined when none of them was unread. */
  markRead(ids: string[] | null): { event: InboxEvent; count: number } | undefined {
    const { known } = this.#counters
    if (!known || known.unread === 0) return undefined
    const changed = ids === null ? undefined : this.#rows.markRead(ids)
    if (changed?.length === 0) return undefined
    const count = changed?.length ?? known.unread
    if (changed === undefined) {
      this.#rows.markAllRead(known.read_through)
      this.#counters.set({ read_through: known.seq })
    }
    const data = { notification_ids: changed ?? null }
    return { event: this.#record({ type: 'notifications_read', data }, 0, -count), count }
  }

  /** Deletes a notification; undefined when there is none with this id. */
  remove(id: string): InboxEvent | undefined {
    if (!this.#counters.known) return undefined
    return this.#recordEach(this.#rows.deleteOne(id, this.#first()))[0]
  }

  /** Deletes the selected notifications. Returns their number and the events: one for each DELETED_PER_EVENT ids. */
  removeMany(selection: NotificationSelection): { count: number; events: InboxEvent[] } {
    const { total, unread } = this.counts()
    if (total === 0 || (selection === 'read' && total === unread)) return { count: 0, events: [] }
    const removed = this.#rows.deleteSelected(selection, this.#first())
    const events: InboxEvent[] = []
    const step = selection === 'all' ? Math.max(removed.length, 1) : DELETED_PER_EVENT
    for (let first = 0; first < removed.length; first += step) {
      const rows = removed.slice(first, first + step)
      const notification_ids = selection === 'all' ? null : rows.map(({ id }) => id)
      const unread = rows.filter(({ state }) => state === 'unread').length
      const change = { type: 'notifications_deleted', data: { notification_ids } } as const
      events.push(this.#record(change, -rows.length, -unread, rows.flatMap(additionsIn)))
    }
    return { count: removed.length, events }
  }

  /** Deletes up to `max` of the oldest notifications; with `until`, only those created by that time (Unix seconds). */
  removeOldest(max: number, until = Number.POSITIVE_INFINITY): InboxEvent[] {
    if (max <= 0 || !this.#counters.known) return []
    let last: number | undefined
    for (const { seq, created_at } of this.#rows.oldest(max)) {
      if (created_at > until) break
      last = seq
    }
    return last === undefined ? [] : this.#recordEach(this.#rows.deleteThrough(last, this.#first()))
  }

  /** Deletes up to `max` notifications that have expired by their own time at `now` (Unix seconds). */
  removeExpired(max: number, now: number): InboxEvent[] {
    if (max <= 0 || !this.#counters.known) return []
    return this.#recordEach(this.#rows.deleteExpired(max, now, this.#first()))
  }

  /** When the next notification expires by its own time, in Unix seconds; undefined when none does. */
  nextExpiry(): number | undefined {
    return this.#counters.known && this.#rows.nextExpiry()
  }

  /** When the oldest notification was created, in Unix seconds; undefined when there is none. */
  oldestTime(): number | undefined {
    return this.#counters.known && this.#rows.oldest(1)[0]?.created_at
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
   * Deletes all notifications, events and keys, once for each erasure: a repetition keeps those that came after the first.
   * `erasure_id` sorts by time. The seq increases past every deleted event, so that a client that reconnects learns that it has
   * missed events. Muted users from before the erasure go, too. Announcements are synced anew, as for a new user. Returns the number of deleted rows.
   */
  erase(erasure_id: string): number {
    const { total, unread, announced } = this.#counters.required
    const isNew = this.#sql
      .exec(
        `INSERT INTO erased (one, mark) VALUES (1, ?)
        ON CONFLICT (one) DO UPDATE SET mark = excluded.mark WHERE mark < excluded.mark RETURNING one`,
        erasure_id,
      )
      .toArray()
    if (isNew.length === 0) return 0
    const removed = this.#rows.clear()
    const events = this.#sql.exec('DELETE FROM events RETURNING seq').toArray().length
    const keys = this.keys.removeAll()
    // A list of the user's after the erasure has a higher version than its mark.
    this.mutes.replace(erasure_id, [])
    if (announced > 0) this.#counters.set({ announced: 0 })
    if (removed + events === 0) return keys
    const { seq } = this.#counters.advance(-total, -unread)
    this.#sql.exec('UPDATE counters SET base_seq = ?, base_unread = 0', seq)
    return removed + events + keys
  }

  /**
   * Whether a publication of a user's is within its bounds. Ids sort by their time, and so does the id of an erasure. An inbox
   * without tables is out of bounds, because a publisher can name any number of users who do not exist.
   */
  isWithin(
    { at_most, about }: NonNullable<PublicationKey['bounds']>,
    publisher: string,
    now: number,
  ): boolean {
    if (!this.#counters.known) return false
    const later = this.#sql.exec('SELECT 1 FROM erased WHERE one = 1 AND mark > ?', about).toArray()
    return later.length === 0 && !this.keys.hasAtLeast(at_most, publisher, now)
  }

  /** The first seq whose addition the log may have to keep. */
  #first(): number {
    return firstKept(this.counts().seq)
  }

  /** Records the deletion of each row as an event. */
  #recordEach(rows: readonly DeletedRow[]): InboxEvent[] {
    return rows.map((row) => {
      const change = { type: 'notification_deleted', data: { notification_id: row.id } } as const
      return this.#record(change, -1, row.state === 'unread' ? -1 : 0, additionsIn(row))
    })
  }

  /** Writes a change as the event with the next seq. `total` and `unread` are differences of the counters. */
  #record(change: InboxChange, total: number, unread: number, added?: Added[]): InboxEvent {
    const now = this.#counters.advance(total, unread)
    return this.#log.record({ ...change, seq: now.seq, unread: now.unread }, added)
  }
}

/** The event that added a deleted notification, unless the log does not keep it. */
function additionsIn({ seq, unread, data, ...notification }: DeletedRow): Added[] {
  return data === null ? [] : [{ seq, unread, notification: { ...notification, data: JSON.parse(data) } }]
}

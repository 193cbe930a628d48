import { createTables, hasTables, type Row } from '../../platform/lib/durable-object.ts'
import { steps } from './migrations.ts'
import type { InboxCounts } from './rpc.ts'

interface Counters extends InboxCounts {
  /** All notifications up to this seq are read. */
  read_through: number
  /** The version of the announcements with which the inbox is in sync. */
  announced: number
}

/**
 * The one row of counters of an inbox. It stays in memory between calls, because only this object writes to its storage, and
 * each transaction writes it once.
 */
export class InboxCounters {
  readonly #storage: DurableObjectStorage
  #counters: Counters | undefined
  #isChanged = false

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Runs changes, and writes all of them or none. */
  transaction<Answer>(change: () => Answer): Answer {
    try {
      return this.#storage.transactionSync(() => {
        const answer = change()
        if (this.#isChanged) this.#write()
        return answer
      })
    } catch (error) {
      this.#counters = undefined
      throw error
    } finally {
      this.#isChanged = false
    }
  }

  /** The counters; undefined while the inbox has no tables. */
  get known(): Readonly<Counters> | undefined {
    if (!this.#counters && hasTables(this.#storage))
      this.#counters = this.#storage.sql
        .exec<Row<Counters>>('SELECT seq, total, unread, read_through, announced FROM counters')
        .one()
    return this.#counters
  }

  /** The counters of an inbox that is about to change. Creates its tables if it has none. */
  get required(): Readonly<Counters> {
    return this.#required()
  }

  /** Moves the counters to the next seq, adds the differences, and returns the counters. */
  advance(total: number, unread: number): Readonly<Counters> {
    const counters = this.#required()
    counters.seq += 1
    counters.total += total
    counters.unread += unread
    this.#isChanged = true
    return counters
  }

  /** Sets counters that no event changes. */
  set(values: Partial<Pick<Counters, 'read_through' | 'announced'>>): void {
    Object.assign(this.#required(), values)
    this.#isChanged = true
  }

  #required(): Counters {
    if (!this.known) createTables(this.#storage, steps)
    if (!this.known || !this.#counters) throw new Error('an inbox has counters')
    return this.#counters
  }

  #write(): void {
    const { seq, total, unread, read_through, announced } = this.#required()
    this.#storage.sql.exec(
      'UPDATE counters SET seq = ?, total = ?, unread = ?, read_through = ?, announced = ?',
      seq,
      total,
      unread,
      read_through,
      announced,
    )
  }
}

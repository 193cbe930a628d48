import type { Route, WriteCondition } from '../db/database.ts'
import { Moved, moving, type Session, type Statement } from '../db/session.ts'
import { FIRST } from './map.ts'
import { fence, isFrozen, linkedFence, type StateRow, stateOf, whereItIs } from './partitions.ts'

/** How many databases a read or a write tries, one after the other, that follows its partition. */
const MAX_TRIES = 3

/** What a route asks of the `Databases` that it comes from. */
export interface Finder {
  /** Whether no other database is bound. */
  isOnly: boolean
  session: (name: string) => Session
  /** Remembers the database of a partition for later requests of this isolate. */
  remember: (partition: string, name: string) => void
  /** The names of the databases in which events were written. */
  eventsIn: Set<string>
}

/**
 * The way to the database of one partition, in one request (docs/scaling.md). It follows the partition when that has been moved:
 * a read or a write is one round trip, unless the partition has moved. A write is refused unless the partition is open.
 *
 * Without a partition it leads to a whole database, for lists over all of them and for the job: its reads ask for no state, and its
 * writes are refused while any partition of that database moves.
 */
export class PartitionRoute implements Route {
  readonly #finder: Finder
  readonly partition: string | undefined
  #session: Session

  constructor(finder: Finder, session: Session, partition?: string) {
    this.#finder = finder
    this.#session = session
    this.partition = partition
  }

  get session(): Session {
    return this.#session
  }

  async read(queries: Statement[]): Promise<unknown[][]> {
    const partition = this.partition
    if (partition === undefined || this.#finder.isOnly) return this.#session.send(queries)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [states, ...answers] = await this.#session.send([stateOf(partition), ...queries])
      if (!this.#follow(partition, states)) return answers
    }
    throw moving()
  }

  async write(queries: Statement[], { alsoOpen }: WriteCondition = {}): Promise<unknown[][]> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const partition = this.partition
      try {
        const { name } = this.#session
        const fences = isFenced(queries, partition, name) ? [] : [fence(partition, name)]
        const linked = alsoOpen?.partition
        if (linked !== undefined && linked !== partition) fences.push(linkedFence(linked, name))
        const answers = await this.#session.send([...fences, ...queries])
        return answers.slice(fences.length).map((rows, index) => this.#withoutEvents(queries[index], rows))
      } catch (error) {
        if (!(error instanceof Moved) || partition === undefined) throw error
        // A replica may not know yet.
        this.#session.usePrimary()
        const [states] = await this.#session.send([stateOf(partition)])
        if (isFrozen(states)) throw moving(error)
        // It has come back in between: then the same database takes the write.
        this.#follow(partition, states)
      }
    }
    throw moving()
  }

  /** The rows of a statement. Those that stand for events are noted, and are nobody's answer. */
  #withoutEvents(query: Statement | undefined, rows: unknown[]): unknown[] {
    if (!query || !('writesEvents' in query)) return rows
    if (rows.length > 0) this.#finder.eventsIn.add(this.#session.name)
    return []
  }

  /** Goes to the database that has the partition. Returns whether that is another one. */
  #follow(partition: string, states: readonly StateRow[]): boolean {
    const name = whereItIs(states, this.#session.name)
    if (name === this.#session.name) return false
    const session = this.#finder.session(name)
    if (this.#session.isPrimary) session.usePrimary()
    this.#session = session
    this.#finder.remember(partition, name)
    return true
  }
}

/** Whether the first of these statements is a fence for the partition, so that a batch for the first database needs no other. */
function isFenced([first]: Statement[], partition: string | undefined, database: string): boolean {
  if (first === undefined || partition === undefined || database !== FIRST) return false
  return 'params' in first && first.fences === partition
}

import type { Route, WriteCondition } from '../db/database.ts'
import { Moved, MovedElsewhere, moving, type Session, type Statement } from '../db/session.ts'
import { FIRST } from './map.ts'
import { fence, isFrozen, linkedFence, locationFrom, type StateRow, stateOf } from './partitions.ts'

/** How many databases a read or a write tries, one after the other, when its partition has moved. */
const MAX_TRIES = 3

/** The part of `Databases` that a route uses. */
export interface Finder {
  /** Whether one database is bound. */
  isSingle: boolean
  /** The session of the database with this name. */
  session: (name: string) => Session
  /** Remembers the database of a partition for later requests of this isolate. */
  remember: (partition: string, name: string) => void
  /** The names of the databases in which events were written. */
  eventsIn: Set<string>
}

/**
 * The route to the database of one partition, in one request (docs/scaling.md). A read or a write is one round trip, and
 * further ones when the partition has moved: the route follows it. A write is refused unless the partition is open.
 *
 * Without a partition the route leads to a whole database, for lists over all databases and for the job: its reads ask for no
 * state, and its writes are refused while any partition of that database moves.
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
    if (partition === undefined || this.#finder.isSingle) return this.#session.send(queries)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [states, ...answers] = await this.#session.send([stateOf({ partition }), ...queries])
      if (!this.#follow(partition, states)) return answers
    }
    throw moving()
  }

  async write(queries: Statement[], { alsoOpen, only }: WriteCondition = {}): Promise<unknown[][]> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const partition = this.partition
      if (only !== undefined && only !== this.#session.name) throw new MovedElsewhere()
      // A replica would pass the write on.
      if (!this.#session.isPrimary) this.#session.usePrimary()
      try {
        const { name } = this.#session
        const fences = isFenced(queries, partition, name) ? [] : [fence(partition, name)]
        const linked = alsoOpen?.partition
        if (linked !== undefined && linked !== partition) fences.push(linkedFence(linked, name))
        const answers = await this.#session.send([...fences, ...queries])
        return withoutEvents(this.#finder, this.#session, queries, answers.slice(fences.length))
      } catch (error) {
        if (!(error instanceof Moved) || partition === undefined) throw error
        // A replica may not know yet.
        this.#session.usePrimary()
        const [states] = await this.#session.send([stateOf({ partition })])
        if (isFrozen(states)) throw moving(error)
        // A partition that has come back in between is open here: the same database takes the write.
        this.#follow(partition, states)
      }
    }
    throw moving()
  }

  /** Continues in the database that has the partition. Returns whether the route has changed. */
  #follow(partition: string, states: readonly StateRow[]): boolean {
    const name = locationFrom(states, this.#session.name)
    if (name === this.#session.name) return false
    const session = this.#finder.session(name)
    if (this.#session.isPrimary) session.usePrimary()
    this.#session = session
    this.#finder.remember(partition, name)
    return true
  }
}

/** The route to a whole database without fences, for rows that belong to no partition. Every trip goes to the primary. */
export class UnfencedRoute implements Route {
  readonly #finder: Finder
  readonly session: Session
  readonly partition = undefined

  constructor(finder: Finder, session: Session) {
    this.#finder = finder
    this.session = session
  }

  read(queries: Statement[]): Promise<unknown[][]> {
    return this.session.send(queries)
  }

  async write(queries: Statement[]): Promise<unknown[][]> {
    return withoutEvents(this.#finder, this.session, queries, await this.session.send(queries))
  }
}

/** The rows of each statement; none for a statement that writes events, whose rows only say that the database has new events. */
function withoutEvents(
  { eventsIn }: Finder,
  { name }: Session,
  queries: readonly Statement[],
  answers: unknown[][],
): unknown[][] {
  return answers.map((rows, index) => {
    const query = queries[index]
    if (!query || !('writesEvents' in query)) return rows
    if (rows.length > 0) eventsIn.add(name)
    return []
  })
}

/** Whether the first of these statements fences the partition. Such statements fence in the first database only. */
function isFenced([first]: Statement[], partition: string | undefined, database: string): boolean {
  if (first === undefined || partition === undefined || database !== FIRST) return false
  return 'params' in first && first.fences === partition
}

import type { SQL } from 'drizzle-orm'
import { FIRST } from '../shards.ts'
import { fence, isFrozen, stateOf, whereItIs } from './buckets.ts'
import { isStatement, type Link, Moved, moving, type Statement } from './link.ts'
import type { Rendered } from './sql.ts'

type RowsOf<Named> = Named extends SQL<infer Row> | Rendered<infer Row> ? Row[] : never

type Named = Record<string, Statement | Statement[]>

type Answers<Statements extends Named> = { [Name in keyof Statements]: RowsOf<Statements[Name]> }

/** How many databases a read or a write tries, one after the other, that follows its bucket. */
const MAX_TRIES = 3

/** What a `Database` asks of the `Databases` that it comes from. */
export interface Finder {
  /** Whether no other database is bound. */
  isOnly: boolean
  link: (name: string) => Link
  /** Remembers the database of a bucket for later requests of this isolate. */
  remember: (bucket: string, name: string) => void
  /** The names of the databases in which events were written. */
  eventsIn: Set<string>
}

/**
 * The database of one bucket, in one request (docs/scaling.md). It follows the bucket when that has been moved. Each call
 * of `read` or `write` is one round trip, unless the bucket has moved.
 *
 * Without a bucket it is a whole database, for lists over all of them and for the job: its reads ask for no state, and its
 * writes are refused while any bucket of that database moves.
 */
export class Database {
  readonly #finder: Finder
  readonly #bucket: string | undefined
  #link: Link

  constructor(finder: Finder, link: Link, bucket?: string) {
    this.#finder = finder
    this.#link = link
    this.#bucket = bucket
  }

  /**
   * Reads in one transaction: the rows of one statement, the rows of each under its name, or the rows of each in its
   * place. With several databases it reads the state of the bucket too.
   *
   * @throws UNAVAILABLE
   */
  async read<Row>(statement: SQL<Row> | Rendered<Row>): Promise<Row[]>
  async read(statements: Statement[]): Promise<unknown[][]>
  async read<Statements extends Named>(statements: Statements): Promise<Answers<Statements>>
  async read(given: Statement | Statement[] | Named): Promise<unknown> {
    return answersTo(given, await this.#read(queriesOf(given)))
  }

  /**
   * Writes in one transaction, in the given order, on condition that the bucket is open in this database. STRICT tables
   * guarantee the types of the columns that statements return.
   *
   * @throws what triggers and constraints refuse (`link.ts`); UNAVAILABLE, also while the bucket moves
   */
  async write<Row>(statement: SQL<Row> | Rendered<Row>): Promise<Row[]>
  async write(statements: Statement[]): Promise<unknown[][]>
  async write<Statements extends Named>(statements: Statements): Promise<Answers<Statements>>
  async write(given: Statement | Statement[] | Named): Promise<unknown> {
    return answersTo(given, await this.#write(queriesOf(given)))
  }

  /**
   * Reads from the nearest replica if `isOwn` says that the answer depends on no other user's decision, and from the
   * primary otherwise, so that a revocation takes effect everywhere at once.
   */
  async readOwnFromReplica<Answer>(
    read: () => Promise<Answer>,
    isOwn: (answer: Answer) => boolean,
  ): Promise<Answer> {
    const answer = await read()
    if (this.#link.isPrimary || isOwn(answer)) return answer
    this.usePrimary()
    return read()
  }

  /**
   * Sends the next trip to the primary, and lets no later one see less: for answers that depend on another user's decision.
   */
  usePrimary(): void {
    this.#link.usePrimary()
  }

  /** The name of the binding. */
  get name(): string {
    return this.#link.name
  }

  /**
   * The point in the history of the caller's home that this request has seen: a request with this bookmark sees at least
   * as much. That of a database other than the first begins with the name of its binding.
   */
  get bookmark(): string | undefined {
    const { name, bookmark } = this.#link
    if (bookmark === null) return undefined
    return name === FIRST ? bookmark : `${name}:${bookmark}`
  }

  async #read(queries: Statement[]): Promise<unknown[][]> {
    const bucket = this.#bucket
    if (bucket === undefined || this.#finder.isOnly) return this.#link.send(queries)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [states, ...answers] = await this.#link.send([stateOf(bucket), ...queries])
      if (!this.#follow(bucket, states)) return answers
    }
    throw moving()
  }

  async #write(queries: Statement[]): Promise<unknown[][]> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const bucket = this.#bucket
      try {
        const { name } = this.#link
        const fences = isFenced(queries, bucket, name) ? [] : [fence(bucket, name)]
        const answers = await this.#link.send([...fences, ...queries])
        return answers.slice(fences.length).map((rows, index) => this.#withoutEvents(queries[index], rows))
      } catch (error) {
        if (!(error instanceof Moved) || bucket === undefined) throw error
        // A replica may not know yet.
        this.usePrimary()
        const [states] = await this.#link.send([stateOf(bucket)])
        if (isFrozen(states)) throw moving(error)
        // It has come back in between: then the same database takes the write.
        this.#follow(bucket, states)
      }
    }
    throw moving()
  }

  /** The rows of a statement. Those that stand for events are noted, and are nobody's answer. */
  #withoutEvents(query: Statement | undefined, rows: unknown[]): unknown[] {
    if (!query || !('writesEvents' in query)) return rows
    if (rows.length > 0) this.#finder.eventsIn.add(this.#link.name)
    return []
  }

  /** Goes to the database that has the bucket. Returns whether that is another one. */
  #follow(bucket: string, states: unknown[] | undefined): boolean {
    const name = whereItIs(states, this.#link.name)
    if (name === this.#link.name) return false
    const link = this.#finder.link(name)
    if (this.#link.isPrimary) link.usePrimary()
    this.#link = link
    this.#finder.remember(bucket, name)
    return true
  }
}

/** Executes statements in one transaction. Returns how many rows they answered: those that they changed, by RETURNING. */
export async function rowsChangedBy(db: Database, statements: Statement[]): Promise<number> {
  return (await db.write(statements)).flat().length
}

/** Whether the first of these statements is a fence for the bucket, so that a batch for the first database needs no other. */
function isFenced([first]: Statement[], bucket: string | undefined, database: string): boolean {
  if (first === undefined || bucket === undefined || database !== FIRST) return false
  return 'params' in first && first.fences === bucket
}

function queriesOf(given: Statement | Statement[] | Named): Statement[] {
  if (Array.isArray(given)) return given
  return isStatement(given) ? [given] : Object.values(given).flat()
}

/** The rows of each statement under its name; of a list of statements under one name, none. */
function answersTo(given: Statement | Statement[] | Named, rows: unknown[][]): unknown {
  if (Array.isArray(given)) return rows
  if (isStatement(given)) return rows[0]
  let next = 0
  return Object.fromEntries(
    Object.entries(given).map(([name, named]) => {
      const first = next
      next += Array.isArray(named) ? named.length : 1
      return [name, Array.isArray(named) ? [] : rows[first]]
    }),
  )
}

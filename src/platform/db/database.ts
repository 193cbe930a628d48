import type { SQL } from 'drizzle-orm'
import { unavailable } from '../errors.ts'
import {
  isStatement,
  type RowsOf,
  type RowsOfEach,
  type Session,
  type Statement,
  UniqueViolation,
} from './session.ts'
import type { Prepared } from './sql.ts'

/** Statements under names. */
export type Named = Record<string, Statement | Statement[]>

/** The rows of each statement under its name. */
export type Answers<Statements extends Named> = { [Name in keyof Statements]: RowsOf<Statements[Name]> }

/**
 * The route to a database (src/platform/shards/route.ts). Each call sends the statements in one transaction, and returns the
 * rows of each.
 */
export interface Route {
  readonly session: Session
  /** The partition whose database it leads to; undefined: a whole database. */
  readonly partition: string | undefined
  read: (statements: Statement[]) => Promise<unknown[][]>
  write: (statements: Statement[], condition?: WriteCondition) => Promise<unknown[][]>
}

/** A condition of a write. */
export interface WriteCondition {
  /** The partition of this database has to be open in the database of the write, too. @throws LinkedMoved otherwise */
  alsoOpen?: Database | undefined
  /** The name of the only database in which the statements make sense. @throws MovedElsewhere when the partition is in another */
  only?: string | undefined
}

/** A database in one request or one run of the job. Each call of `read` or `write` is one round trip. */
export class Database {
  readonly #route: Route

  constructor(route: Route) {
    this.#route = route
  }

  /**
   * Reads in one transaction. Returns the rows of a single statement, of each statement under its name, or of each at its index
   * in the array.
   *
   * @throws UNAVAILABLE
   */
  async read<Row>(statement: SQL<Row> | Prepared<Row>): Promise<Row[]>
  async read<Statements extends Statement[]>(statements: [...Statements]): Promise<RowsOfEach<Statements>>
  async read<Statements extends Named>(statements: Statements): Promise<Answers<Statements>>
  async read(given: Statement | Statement[] | Named): Promise<unknown> {
    return answersTo(given, await this.#route.read(queriesOf(given)))
  }

  /**
   * Writes in one transaction, in the given order, on condition that the partition is open in this database.
   *
   * @throws UniqueViolation, the error that a trigger raises (session.ts), and UNAVAILABLE, also while the partition moves
   */
  async write<Row>(statement: SQL<Row> | Prepared<Row>): Promise<Row[]>
  async write<Statements extends Statement[]>(statements: [...Statements]): Promise<RowsOfEach<Statements>>
  async write<Statements extends Named>(
    statements: Statements,
    condition?: WriteCondition,
  ): Promise<Answers<Statements>>
  async write(given: Statement | Statement[] | Named, condition?: WriteCondition): Promise<unknown> {
    return answersTo(given, await this.#route.write(queriesOf(given), condition))
  }

  /** Writes as `write` does, with further statements at the end of the transaction, and returns their rows apart. */
  async writeAlong<Statements extends Named, Along extends Statement[]>(
    statements: Statements,
    along: [...Along],
    condition?: WriteCondition,
  ): Promise<{ answers: Answers<Statements>; along: RowsOfEach<Along> }>
  async writeAlong(
    statements: Named,
    along: Statement[],
    condition?: WriteCondition,
  ): Promise<{ answers: unknown; along: unknown }> {
    const rows = await this.#route.write([...queriesOf(statements), ...along], condition)
    return { answers: answersTo(statements, rows), along: rows.slice(rows.length - along.length) }
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
    if (this.#route.session.isPrimary || isOwn(answer)) return answer
    this.usePrimary()
    return read()
  }

  /**
   * Sends the next trip to the primary, for an answer that depends on another user's decision. Later reads may use a replica that
   * is at least as fresh.
   */
  usePrimary(): void {
    this.#route.session.usePrimary()
  }

  /** The name of the binding. */
  get name(): string {
    return this.#route.session.name
  }

  /** The partition whose database this is; undefined: a whole database. */
  get partition(): string | undefined {
    return this.#route.partition
  }

  /** The point in the history of this database that the request has seen; null before its first trip. */
  get bookmark(): string | null {
    return this.#route.session.bookmark
  }
}

/** Writes in one transaction. Returns how many rows the statements changed, as their RETURNING clauses say. */
export async function rowsChangedBy(db: Database, statements: Statement[]): Promise<number> {
  return (await db.write(statements)).flat().length
}

function queriesOf(given: Statement | Statement[] | Named): Statement[] {
  if (Array.isArray(given)) return given
  return isStatement(given) ? [given] : Object.values(given).flat()
}

/** The rows of each statement under its name. A list of statements under one name has no rows. */
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

const MAX_ATTEMPTS = 5

/**
 * Repeats an attempt while it returns undefined: a conditional write changed nothing, and another request has removed the
 * reason meanwhile. An attempt that violates a unique index has made an id that is taken, and is repeated, too.
 *
 * @throws UNAVAILABLE after five attempts
 */
export async function retryOnConflict<Answer>(attempt: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const answer = await attempt().catch(orConflict)
    if (answer !== undefined) return answer
  }
  throw unavailable('Too much is changing here at once. Try again.')
}

function orConflict(error: unknown): undefined {
  if (error instanceof UniqueViolation) return undefined
  throw error
}

import type { SQL } from 'drizzle-orm'
import { ApiError, type ErrorCode, isErrorCode, isLimit, limitReached, unavailable } from '../errors.ts'
import { DEFAULT_TIMEOUT_MS, withTimeout } from '../lib/timeout.ts'
import { type Rendered, render } from './sql.ts'

/** A statement, or one that has been rendered. */
type Statement = SQL | Rendered

type RowsOf<Named> = Named extends SQL<infer Row> | Rendered<infer Row> ? Row[] : never

/**
 * The D1 session of one request. Each call of `all` or `batch` is one round trip; a batch is one transaction.
 *
 * It reads from the nearest replica that is at least as fresh as the client's bookmark, and from the primary without a
 * bookmark (architecture, "Beyond one machine"). A trip that takes too long is UNAVAILABLE; its writes may have happened
 * or may still happen.
 */
export class Database {
  readonly #binding: D1Database
  readonly #timeout_ms: number
  #isPrimary: boolean
  #session: D1DatabaseSession
  #statements = 0

  constructor(binding: D1Database, bookmark?: string, timeout_ms = DEFAULT_TIMEOUT_MS) {
    this.#binding = binding
    this.#timeout_ms = timeout_ms
    this.#isPrimary = bookmark === undefined
    this.#session = binding.withSession(bookmark ?? 'first-primary')
  }

  /** The rows of one statement, in the type that the statement has. STRICT tables guarantee the columns' types. */
  async all<Row>(statement: SQL<Row> | Rendered<Row>): Promise<Row[]> {
    const { results } = await this.#call(() => this.#prepare(statement).all<Row>())
    return results
  }

  /**
   * Executes statements in one transaction, in the given order. Returns the rows of each statement under its name. The
   * rows of a list of statements among them are left out. For an array, returns the rows of each in its place.
   */
  async batch(statements: Statement[]): Promise<unknown[][]>
  async batch<Named extends Record<string, Statement | Statement[]>>(
    statements: Named,
  ): Promise<{ [Name in keyof Named]: RowsOf<Named[Name]> }>
  async batch(statements: Statement[] | Record<string, Statement | Statement[]>): Promise<unknown> {
    const queries = Object.values(statements).flat()
    const results = await this.#call(() => this.#session.batch(queries.map((query) => this.#prepare(query))))
    const rows = results.map((result) => result.results)
    if (Array.isArray(statements)) return rows
    let next = 0
    return Object.fromEntries(
      Object.entries(statements).map(([name, named]) => {
        const first = next
        next += Array.isArray(named) ? named.length : 1
        return [name, Array.isArray(named) ? [] : rows[first]]
      }),
    )
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
    if (this.#isPrimary || isOwn(answer)) return answer
    this.usePrimary()
    return read()
  }

  /** Sends what follows to the primary: for answers that depend on another user's decision. */
  usePrimary(): void {
    this.#session = this.#binding.withSession('first-primary')
    this.#isPrimary = true
  }

  /** The point in the database's history that this request has seen. A request with this bookmark sees at least as much. */
  get bookmark(): string | null {
    return this.#session.getBookmark()
  }

  /** How many statements have been sent, those of batches included. */
  get statements(): number {
    return this.#statements
  }

  #prepare(statement: Statement): D1PreparedStatement {
    this.#statements++
    const { sql, params } = render(statement)
    return this.#session.prepare(sql).bind(...params)
  }

  async #call<Answer>(trip: () => Promise<Answer>): Promise<Answer> {
    try {
      return await withTimeout(this.#timeout_ms, trip())
    } catch (error) {
      throw translated(error)
    }
  }
}

/** Executes statements in one transaction. Returns how many rows they answered: those that they changed, by RETURNING. */
export async function rowsChangedBy(db: Database, statements: Statement[]): Promise<number> {
  return (await db.batch(statements)).flat().length
}

/** Thrown when a write violates a UNIQUE constraint. `columns` are the columns of its index, as SQLite lists them. */
export class UniqueViolation extends Error {
  readonly columns: string
  constructor(columns: string) {
    super(`UNIQUE constraint violated: ${columns}`)
    this.name = 'UniqueViolation'
    this.columns = columns
  }
}

/** The codes of SQLite and D1 for a wrong statement. With any other code, the statement could not be executed. */
const wrongStatement = /SQLITE_(ERROR|CONSTRAINT|MISMATCH|MISUSE|RANGE|TOOBIG|AUTH)|D1_TYPE_ERROR/

/**
 * The error that a failed statement stands for. Triggers raise `refused:CODE` or `refused:CODE:limit`, which is the
 * client's answer. A UNIQUE violation and a wrong statement are told apart from D1 being unavailable.
 */
function translated(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const raised = /refused:([A-Z_]+)(?::([\w ]+))?/.exec(error.message)
  if (raised?.[1] && isErrorCode(raised[1])) return raisedError(raised[1], raised[2], error)
  const violation = /UNIQUE constraint failed: ([\w., ]+)/.exec(error.message)
  if (violation?.[1]) return new UniqueViolation(violation[1])
  if (wrongStatement.test(error.message) || error instanceof TypeError) return error
  return unavailable('The database did not answer. Try again.', error)
}

function raisedError(code: ErrorCode, limit: string | undefined, cause: Error): ApiError {
  if (code === 'INTERNAL') return new ApiError('INTERNAL', { cause })
  if (code === 'LIMIT_REACHED' && isLimit(limit)) return limitReached(limit, cause)
  return new ApiError(code, { cause })
}

import type { SQL } from 'drizzle-orm'
import { ApiError, type ErrorCode, isErrorCode, isLimit, limitReached, unavailable } from '../errors.ts'
import { DEFAULT_TIMEOUT_MS, withTimeout } from '../lib/timeout.ts'
import { type Rendered, render } from './sql.ts'

/** A statement as it was written, or as it was rendered before. */
type Statement = SQL | Rendered

type RowsOf<Named> = Named extends SQL<infer Row> | Rendered<infer Row> ? Row[] : never

/**
 * One request's way to D1. Each call of `all` or `batch` is one round trip; a batch is one transaction.
 *
 * It reads from the nearest replica that is at least as fresh as the client's bookmark, and from the primary
 * when there is none (architecture, "Beyond one machine"). A trip that is not answered in time is UNAVAILABLE; what it
 * was to write may be there then, or come later.
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

  /** The rows of one statement. Its type names their columns; the tables are STRICT, so the types are SQLite's word. */
  async all<Row>(statement: SQL<Row> | Rendered<Row>): Promise<Row[]> {
    const { results } = await this.#reached(() => this.#prepare(statement).all<Row>())
    return results
  }

  /**
   * The statements of one transaction, in the order given: all of them take effect, or none does. Answers the rows of
   * each under its name; a list among them, which may be empty, answers nothing. For a mere list, the rows of each in
   * its place.
   */
  async batch(statements: Statement[]): Promise<unknown[][]>
  async batch<Named extends Record<string, Statement | Statement[]>>(
    statements: Named,
  ): Promise<{ [Name in keyof Named]: RowsOf<Named[Name]> }>
  async batch(statements: Statement[] | Record<string, Statement | Statement[]>): Promise<unknown> {
    const queries = Object.values(statements).flat()
    const results = await this.#reached(() =>
      this.#session.batch(queries.map((query) => this.#prepare(query))),
    )
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
   * Answers from the nearest copy if `isOwn` says that it holds nothing that another user decides, and asks the
   * primary otherwise: a revocation is one at once, everywhere.
   */
  async readOwnNear<Answer>(
    read: () => Promise<Answer>,
    isOwn: (answer: Answer) => boolean,
  ): Promise<Answer> {
    const answer = await read()
    if (this.#isPrimary || isOwn(answer)) return answer
    this.usePrimary()
    return read()
  }

  /** Sends what comes next to the primary: for answers that depend on what another user has just decided. */
  usePrimary(): void {
    this.#session = this.#binding.withSession('first-primary')
    this.#isPrimary = true
  }

  /** Where this request stands in the database's history; a later request that brings it sees at least this. */
  get bookmark(): string | null {
    return this.#session.getBookmark()
  }

  /** How many statements have been sent; each of a batch is one. */
  get statements(): number {
    return this.#statements
  }

  #prepare(statement: Statement): D1PreparedStatement {
    this.#statements++
    const { sql, params } = render(statement)
    return this.#session.prepare(sql).bind(...params)
  }

  async #reached<Answer>(trip: () => Promise<Answer>): Promise<Answer> {
    try {
      return await withTimeout(this.#timeout_ms, trip())
    } catch (error) {
      throw asRefusal(error)
    }
  }
}

/** Thrown when an INSERT met a row that is there already; `columns` as SQLite names them. */
export class UniqueViolation extends Error {
  readonly columns: string
  constructor(columns: string) {
    super(`already there: ${columns}`)
    this.name = 'AlreadyThere'
    this.columns = columns
  }
}

/** The codes by which SQLite, or D1, says that a statement is wrong; by any other, that it could not be executed. */
const ourMistakes = /SQLITE_(ERROR|CONSTRAINT|MISMATCH|MISUSE|RANGE|TOOBIG|AUTH)|D1_TYPE_ERROR/

/**
 * What a failed statement means. Triggers raise `refused:CODE` or `refused:CODE:about`, and that is the
 * client's answer; a mistake in our SQL stays what it is; everything else is D1 being out of reach.
 */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const raised = /refused:([A-Z_]+)(?::([\w ]+))?/.exec(error.message)
  if (raised?.[1] && isErrorCode(raised[1])) return refusal(raised[1], raised[2], error)
  const taken = /UNIQUE constraint failed: ([\w., ]+)/.exec(error.message)
  if (taken?.[1]) return new UniqueViolation(taken[1])
  if (ourMistakes.test(error.message) || error instanceof TypeError) return error
  return unavailable('The database did not answer. Try again.', error)
}

function refusal(code: ErrorCode, about: string | undefined, cause: Error): ApiError {
  if (code === 'INTERNAL') return new ApiError('INTERNAL', { cause })
  if (code === 'LIMIT_REACHED' && isLimit(about)) return limitReached(about, cause)
  return new ApiError(code, { cause })
}

import { SQL } from 'drizzle-orm'
import {
  ApiError,
  type ErrorCode,
  isErrorCode,
  isLimit,
  limitReached,
  quotaExceeded,
  unavailable,
} from '../errors.ts'
import type { Metrics } from '../lib/metrics.ts'
import { withTimeout } from '../lib/timeout.ts'
import { type Prepared, prepare } from './sql.ts'

/** A statement, or one that has been prepared. */
export type Statement = SQL | Prepared

/** The rows of a statement. */
export type RowsOf<One> = One extends SQL<infer Row> | Prepared<infer Row> ? Row[] : never

/** The rows of each statement, at its index. */
export type RowsOfEach<Statements extends readonly Statement[]> = {
  [Index in keyof Statements]: RowsOf<Statements[Index]>
}

/** Whether a value is one statement, and not several under their names. */
export function isStatement(value: object): value is Statement {
  return value instanceof SQL || 'params' in value
}

/**
 * A bound database with its D1 session in one request. Each call of `send` is one round trip.
 *
 * With a bookmark, it reads from the nearest replica that is at least as fresh. Without one, its first trip goes to the
 * primary; later reads may go to a replica that has whatever this session has seen and written (D1, `first-primary`). So
 * every answer is at least as new as the request. A trip that takes too long is UNAVAILABLE; its writes may have happened
 * or may still happen. A trip that fails on a replica, because that lacks the last migration yet, is repeated on the primary.
 */
export class Session {
  /** The name of the binding. */
  readonly name: string
  readonly #binding: D1Database
  readonly #timeout_ms: number
  readonly #metrics: Metrics
  #isPrimary: boolean
  #hasWritten = false
  #isEachOnPrimary = false
  #session: D1DatabaseSession
  #statements = 0
  #size_bytes: number | undefined

  /** The trips of the session are added to `metrics`. */
  constructor(
    name: string,
    binding: D1Database,
    {
      timeout_ms,
      metrics,
      bookmark,
    }: { timeout_ms: number; metrics: Metrics; bookmark?: string | undefined },
  ) {
    this.name = name
    this.#binding = binding
    this.#timeout_ms = timeout_ms
    this.#metrics = metrics
    this.#isPrimary = bookmark === undefined
    this.#session = binding.withSession(bookmark ?? 'first-primary')
  }

  /**
   * Executes statements in one transaction, in the given order. Returns the rows of each, of the type that the statement
   * declares: STRICT tables guarantee the types of columns.
   */
  async send<Statements extends Statement[]>(statements: [...Statements]): Promise<RowsOfEach<Statements>>
  async send(statements: Statement[]): Promise<unknown> {
    if (this.#isEachOnPrimary) this.usePrimary()
    try {
      return await this.#trip(statements)
    } catch (error) {
      if (this.#isPrimary || !lacksMigration(error)) throw error
      this.usePrimary()
      return this.#trip(statements)
    }
  }

  async #trip(statements: Statement[]): Promise<unknown[][]> {
    const prepared = statements.map((statement) => this.#prepare(statement))
    const [only] = prepared
    const began_ms = Date.now()
    this.#metrics.d1_trips++
    try {
      const results =
        only && prepared.length === 1
          ? [await withTimeout(this.#timeout_ms, only.all<unknown>())]
          : await withTimeout(this.#timeout_ms, this.#session.batch<unknown>(prepared))
      this.#size_bytes = results.at(-1)?.meta?.size_after
      return results.map((result) => this.#rowsOf(result))
    } catch (error) {
      const translation = translated(error)
      if (!provesNoWrite(translation) && !lacksMigration(translation)) this.#hasWritten = true
      throw translation
    } finally {
      this.#metrics.d1_ms += Date.now() - began_ms
    }
  }

  /** Whether the session began on the primary. */
  get isPrimary(): boolean {
    return this.#isPrimary
  }

  /** Whether a trip has written rows, or may have. */
  get hasWritten(): boolean {
    return this.#hasWritten
  }

  /** Sends the next trip to the primary. Later reads may use a replica that is at least as fresh. */
  usePrimary(): void {
    this.#session = this.#binding.withSession('first-primary')
    this.#isPrimary = true
  }

  /** Sends the next trip to the nearest replica that has this bookmark, and what the session has seen. */
  useReplicaFrom(bookmark: string): void {
    const own = this.bookmark ?? ''
    // Bookmarks of a database sort by age as text.
    this.#session = this.#binding.withSession(own > bookmark ? own : bookmark)
    this.#isPrimary = false
  }

  /** Sends every trip to the primary, in a session of its own. For a caller that repeatedly reads rows that others change. */
  stayOnPrimary(): void {
    this.#isEachOnPrimary = true
  }

  /** The point in the database's history that this request has seen. */
  get bookmark(): string | null {
    return this.#session.getBookmark()
  }

  /** The size of the database after the last trip, in bytes. */
  get size_bytes(): number | undefined {
    return this.#size_bytes
  }

  /** How many statements have been sent. */
  get statements(): number {
    return this.#statements
  }

  #rowsOf({ results, meta }: { results: unknown[]; meta?: D1Meta }): unknown[] {
    this.#metrics.rows_read += meta?.rows_read ?? 0
    this.#metrics.rows_written += meta?.rows_written ?? 0
    this.#metrics.d1_region = meta?.served_by_region ?? this.#metrics.d1_region
    this.#metrics.d1_primary = meta?.served_by_primary ?? this.#metrics.d1_primary
    if ((meta?.rows_written ?? 0) > 0) this.#hasWritten = true
    return results
  }

  #prepare(statement: Statement): D1PreparedStatement {
    this.#statements++
    const { sql, params } = prepare(statement)
    return this.#session.prepare(sql).bind(...params)
  }
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

/**
 * Whether an error proves that nothing was written. After UNAVAILABLE the batch may have been written, or may still be, except
 * when a move has refused it.
 */
export function provesNoWrite(error: unknown): boolean {
  if (error instanceof UniqueViolation || error instanceof Moving) return true
  return error instanceof ApiError && error.code !== 'UNAVAILABLE'
}

/** Thrown when the partition of a write is not open in the database. Nothing has been written. */
export class Moved extends Error {
  constructor() {
    super('the partition is in another database')
    this.name = 'Moved'
  }
}

/** Thrown when the second partition of a write (`alsoOpen`) is in another database. Nothing has been written. */
export class LinkedMoved extends Error {
  constructor() {
    super('the linked partition is in another database')
    this.name = 'LinkedMoved'
  }
}

/** Thrown when the partition of a write that is for one database only (`only`) is in another one. Nothing has been written. */
export class MovedElsewhere extends Error {
  constructor() {
    super('the partition is not in the database of the write')
    this.name = 'MovedElsewhere'
  }
}

/** UNAVAILABLE while a partition moves from one database to another. Nothing has been written. */
class Moving extends ApiError {
  constructor(cause: unknown) {
    const { code, details } = unavailable('These data are being moved to another database. Try again.', cause)
    super(code, details)
  }
}

/** The answer while a partition moves from one database to another. */
export function moving(cause?: unknown): ApiError {
  return new Moving(cause)
}

/**
 * Whether a statement names what the database does not have. A replica may not have the last migration yet. Nothing has been written:
 * a batch is one transaction.
 */
function lacksMigration(error: unknown): boolean {
  return error instanceof Error && /no such (table|column|index|function)/.test(error.message)
}

/** The codes of SQLite and D1 for a wrong statement. With any other code, the statement could not be executed. */
const wrongStatement = /SQLITE_(ERROR|CONSTRAINT|MISMATCH|MISUSE|RANGE|TOOBIG|AUTH)|D1_TYPE_ERROR/

/**
 * The error of a failed statement. A trigger raises `refused:CODE` or `refused:CODE:detail`, which becomes the client's answer.
 * A UNIQUE violation becomes a UniqueViolation, a wrong statement stays as it is, and any other failure is UNAVAILABLE.
 */
function translated(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const raised = /refused:([A-Z_]+)(?::([\w ]+))?/.exec(error.message)
  if (raised?.[1] === 'MOVED') return new Moved()
  if (raised?.[1] === 'LINKED_MOVED') return new LinkedMoved()
  if (raised?.[1] === 'FROZEN') return moving(error)
  if (raised?.[1] && isErrorCode(raised[1])) return raisedError(raised[1], raised[2], error)
  const violation = /UNIQUE constraint failed: ([\w., ]+)/.exec(error.message)
  if (violation?.[1]) return new UniqueViolation(violation[1])
  if (wrongStatement.test(error.message) || error instanceof TypeError) return error
  return unavailable('The database did not answer. Try again.', error)
}

function raisedError(code: ErrorCode, detail: string | undefined, cause: Error): ApiError {
  if (code === 'INTERNAL') return new ApiError('INTERNAL', { cause })
  if (code === 'LIMIT_REACHED' && isLimit(detail)) return limitReached(detail, cause)
  const [, used, limit, needed] = /^(\d+) (\d+) (\d+)$/.exec(detail ?? '') ?? []
  if (code === 'QUOTA_EXCEEDED' && needed !== undefined)
    return quotaExceeded(
      { used_bytes: Number(used), limit_bytes: Number(limit), needed_bytes: Number(needed) },
      { cause },
    )
  return new ApiError(code, { cause })
}

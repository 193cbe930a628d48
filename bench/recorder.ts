import type { D1Database, D1DatabaseSession, D1PreparedStatement } from '@cloudflare/workers-types'
import type { RecordedStatement } from './plan.ts'

/** Called for each round trip to a database, with its statements. */
type Note = (trip: RecordedStatement[]) => void

/** Wraps the part of a D1 binding that the service uses. Another use would throw, and so be noticed. */
export function recordedDatabase(database: D1Database, note: Note) {
  return {
    withSession: (constraint: string) => recordedSession(database.withSession(constraint), note),
  }
}

function recordedSession(session: D1DatabaseSession, note: Note) {
  return {
    prepare: (sql: string) => new Statement(session.prepare(sql), sql, [], note),
    getBookmark: () => session.getBookmark(),
    batch: async (statements: Statement[]) => {
      const results = await session.batch(statements.map(({ prepared }) => prepared))
      note(statements.map((statement, i) => statement.recorded(results[i]?.meta)))
      return results
    },
  }
}

/** A prepared statement that remembers its text and its parameters. */
class Statement {
  readonly prepared: D1PreparedStatement
  readonly #sql: string
  readonly #parameters: unknown[]
  readonly #note: Note

  constructor(prepared: D1PreparedStatement, sql: string, parameters: unknown[], note: Note) {
    this.prepared = prepared
    this.#sql = sql
    this.#parameters = parameters
    this.#note = note
  }

  bind(...parameters: unknown[]): Statement {
    return new Statement(this.prepared.bind(...parameters), this.#sql, parameters, this.#note)
  }

  async all() {
    const result = await this.prepared.all()
    this.#note([this.recorded(result.meta)])
    return result
  }

  recorded({ rows_read = 0, rows_written = 0 }: { rows_read?: number; rows_written?: number } = {}) {
    return { sql: this.#sql, parameters: this.#parameters, rows_read, rows_written }
  }
}

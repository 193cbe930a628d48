import type { D1Database, D1DatabaseSession, D1PreparedStatement } from '@cloudflare/workers-types'
import type { RecordedAnswer, RecordedStatement } from './plan.ts'
import { app, appFor } from './service.js'

/**
 * The service with one more route, and with an entrypoint that records. A route of its own, because nothing in
 * the service's contract ends after the token check other than in a refusal.
 */
// The app of the paths that no feature serves.
const others = await appFor('')
others.get('/v1/token', (c) => c.json({ user_id: c.var.caller.user_id }))

export default { fetch: app.fetch }

/** `DB`, and `DB_1`, … of a bench over several databases; what else is bound is not looked at. */
type ProbeEnv = Record<string, D1Database>

/** Serves a request as ever, and answers with what the service said and what it asked the database. */
export const recorder = {
  async fetch(request: Request, env: ProbeEnv, context: object): Promise<Response> {
    const trips: RecordedStatement[][] = []
    const at_ms = Date.now()
    const databases = Object.entries(env).filter(([name]) => /^DB(_\d+)?$/.test(name))
    const recorded = databases.map(([name, database]) => [name, recordedDatabase(database, trips)])
    // The bench asks for nothing of an inbox.
    const bindings = { ...env, INBOX: {}, ...Object.fromEntries(recorded) }
    const response = await app.fetch(request, bindings, context)
    const answer: RecordedAnswer = { at_ms, status: response.status, body: await response.text(), trips }
    return Response.json(answer)
  },
}

/** The part of the binding that the service uses; using more of it fails the recording and so shows itself. */
function recordedDatabase(database: D1Database, trips: RecordedStatement[][]) {
  return {
    withSession: (constraint: string) => recordedSession(database.withSession(constraint), trips),
  }
}

function recordedSession(session: D1DatabaseSession, trips: RecordedStatement[][]) {
  return {
    prepare: (sql: string) => new Statement(session.prepare(sql), sql, [], trips),
    getBookmark: () => session.getBookmark(),
    batch: async (statements: Statement[]) => {
      const results = await session.batch(statements.map(({ prepared }) => prepared))
      trips.push(statements.map((statement, i) => statement.recorded(results[i]?.meta.rows_read ?? 0)))
      return results
    },
  }
}

/** A prepared statement that remembers its text and its parameters. */
class Statement {
  readonly prepared: D1PreparedStatement
  readonly #sql: string
  readonly #parameters: unknown[]
  readonly #trips: RecordedStatement[][]

  constructor(
    prepared: D1PreparedStatement,
    sql: string,
    parameters: unknown[],
    trips: RecordedStatement[][],
  ) {
    this.prepared = prepared
    this.#sql = sql
    this.#parameters = parameters
    this.#trips = trips
  }

  bind(...parameters: unknown[]): Statement {
    return new Statement(this.prepared.bind(...parameters), this.#sql, parameters, this.#trips)
  }

  async all() {
    const result = await this.prepared.all()
    this.#trips.push([this.recorded(result.meta.rows_read)])
    return result
  }

  recorded(rows_read: number): RecordedStatement {
    return { sql: this.#sql, parameters: this.#parameters, rows_read }
  }
}

export { Inbox, Janitor } from './no-objects.ts'

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** The storage of a Durable Object over a SQLite of Node's: the part of it that an inbox uses. */
export class ObjectStorage {
  readonly #database = new DatabaseSync(':memory:')
  readonly #values = new Map<string, unknown>()

  readonly kv = {
    get: (key: string) => this.#values.get(key),
    put: (key: string, value: unknown) => void this.#values.set(key, value),
  }

  readonly sql = {
    exec: (query: string, ...values: SQLInputValue[]) => {
      const rows = this.#rows(query, values)
      return {
        toArray: () => rows,
        one: () => {
          if (rows.length !== 1) throw new Error(`${rows.length} rows`)
          return rows[0]
        },
        [Symbol.iterator]: () => rows[Symbol.iterator](),
      }
    },
  }

  transactionSync<Answer>(work: () => Answer): Answer {
    this.#database.exec('BEGIN')
    try {
      const answer = work()
      this.#database.exec('COMMIT')
      return answer
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }

  /** A step of the tables is several statements. */
  #rows(query: string, values: SQLInputValue[]): Record<string, unknown>[] {
    if (/^\s*(CREATE|ALTER)/.test(query)) {
      this.#database.exec(query)
      return []
    }
    return this.#database
      .prepare(query)
      .all(...values)
      .map((row) => ({ ...row }))
  }
}

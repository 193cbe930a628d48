import type { Databases } from '../../../platform/shards/databases.ts'

/** A request of the mover takes no further step after more statements, or after more time. */
const MOST_STATEMENTS = 500
const LONGEST_MS = 5_000

/** The statements and the time that one request of the mover may use: D1 lets an invocation send 1,000 statements. */
export class Budget {
  readonly #databases: Databases
  readonly #before: number
  readonly #began_ms = Date.now()

  constructor(databases: Databases) {
    this.#databases = databases
    this.#before = databases.statements
  }

  /** Whether no further step is to be taken. */
  get isSpent(): boolean {
    const sent = this.#databases.statements - this.#before
    return sent > MOST_STATEMENTS || Date.now() - this.#began_ms > LONGEST_MS
  }
}

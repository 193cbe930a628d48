import type { JobContext } from '../context.ts'
import { counted } from '../lib/figures.ts'

/** The cost of a step or a run of the job. */
export interface Cost {
  /** Statements sent to D1; each statement of a batch counts. */
  queries: number
  /** Calls to R2, to inboxes and to saves. */
  calls: number
}

/**
 * Counts the cost of a run and compares it with the run's limits: D1 lets an invocation send 1,000 queries, and Workers limits
 * its calls to other services. The bindings of `job` count their calls.
 */
export class Budget {
  readonly job: JobContext
  readonly #limit: Cost
  readonly #before: number
  #calls = 0

  constructor(ctx: JobContext, limit: Cost) {
    this.#limit = limit
    this.#before = ctx.databases.statements
    const count = () => this.#calls++
    this.job = {
      ...ctx,
      bucket: counted(ctx.bucket, count),
      inboxes: counted(ctx.inboxes, count),
      saves: counted(ctx.saves, count),
    }
  }

  /** The cost of the run so far. */
  get used(): Cost {
    return { queries: this.job.databases.statements - this.#before, calls: this.#calls }
  }

  /** Whether the rest of the budget covers a step that costs at most as much. */
  canAfford({ queries, calls }: Cost): boolean {
    const { used } = this
    return used.queries + queries <= this.#limit.queries && used.calls + calls <= this.#limit.calls
  }
}

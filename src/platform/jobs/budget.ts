import type { JobContext } from '../context.ts'
import { counted } from '../lib/figures.ts'

/** What a step or a run of the job uses: D1 queries, and calls to R2 and to inboxes. */
export interface Cost {
  /** Statements sent to D1; each statement of a batch counts. */
  queries: number
  calls: number
}

/**
 * Counts what a run uses and compares it with the run's limits: D1 lets an invocation send 1,000 queries, and the
 * platform limits calls to other services. The bindings of `job` count their calls.
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
    this.job = { ...ctx, bucket: counted(ctx.bucket, count), inboxes: counted(ctx.inboxes, count) }
  }

  get used(): Cost {
    return { queries: this.job.databases.statements - this.#before, calls: this.#calls }
  }

  /** Whether enough is left for a step that costs at most as much. */
  holds({ queries, calls }: Cost): boolean {
    const { used } = this
    return used.queries + queries <= this.#limit.queries && used.calls + calls <= this.#limit.calls
  }
}

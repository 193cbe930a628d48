import type { JobContext } from '../context.ts'

/** What a step, or a whole run of the job, may use: D1 queries, and calls to R2 and to inboxes. */
export interface Cost {
  /** Statements sent to D1; each of a batch is one. */
  queries: number
  calls: number
}

/**
 * What a run has used, counted where it is used: D1 lets an invocation send 1,000 queries, and the platform limits its
 * calls. The bindings of `job` are those that count.
 */
export class Budget {
  readonly job: JobContext
  readonly #limit: Cost
  readonly #before: number
  #calls = 0

  constructor(ctx: JobContext, limit: Cost) {
    this.#limit = limit
    this.#before = ctx.db.statements
    const count = () => this.#calls++
    this.job = { ...ctx, bucket: counted(ctx.bucket, count), inboxes: counted(ctx.inboxes, count) }
  }

  get used(): Cost {
    return { queries: this.job.db.statements - this.#before, calls: this.#calls }
  }

  /** Whether there is enough left for something that uses at most as much. */
  holds({ queries, calls }: Cost): boolean {
    const { used } = this
    return used.queries + queries <= this.#limit.queries && used.calls + calls <= this.#limit.calls
  }
}

/** The same binding; `count` hears of each call of one of its methods. */
function counted<Binding extends object>(binding: Binding, count: () => void): Binding {
  return new Proxy(binding, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        count()
        return Reflect.apply(member, target, args)
      }
    },
  })
}

import sql from 'sql-template-tag'
import { eraseStep } from '../operators/erase.ts'
import type { Job } from '../work.ts'
import { Budget, type Cost } from './budget.ts'
import { drainGarbage } from './drain-garbage.ts'
import { expireUploads, forgetUploads } from './expire-uploads.ts'
import { flagExpiredShares } from './flag-shares.ts'
import { forgetKeys } from './forget-keys.ts'
import { purgeAssets, retireAssets } from './purge-assets.ts'
import { purgeMarked, retireTrash } from './purge-trash.ts'
import { removeOrphans } from './remove-orphans.ts'

/**
 * A task, and the most that one step of it uses. A step is bounded: what it does takes effect as a whole or not at
 * all, and what is left is found again by the next step, in this run or another. It tells how much it did; nothing
 * when there is nothing to do.
 */
interface Task extends Cost {
  step: (job: Job) => Promise<number>
  /** The tasks that it may leave work for. */
  feeds?: string[]
}

const tasks = {
  users_erased: {
    step: eraseStep,
    queries: 16,
    calls: 2,
    feeds: ['rows_purged', 'assets_purged', 'objects_removed'],
  },
  uploads_expired: { step: expireUploads, queries: 3, calls: 0, feeds: ['objects_removed'] },
  trash_retired: { step: retireTrash, queries: 1, calls: 0, feeds: ['rows_purged'] },
  rows_purged: { step: purgeMarked, queries: 14, calls: 0, feeds: ['objects_removed'] },
  assets_retired: { step: retireAssets, queries: 1, calls: 0, feeds: ['assets_purged'] },
  assets_purged: { step: purgeAssets, queries: 2, calls: 0, feeds: ['objects_removed'] },
  shares_flagged: { step: flagExpiredShares, queries: 1, calls: 0 },
  objects_removed: { step: drainGarbage, queries: 4, calls: 21 },
  orphans_removed: { step: removeOrphans, queries: 3, calls: 2 },
  uploads_forgotten: { step: forgetUploads, queries: 1, calls: 0 },
  keys_forgotten: { step: forgetKeys, queries: 1, calls: 0 },
} satisfies Record<string, Task>

type TaskName = keyof typeof tasks

/** What a run did, in counts, and what it used. */
export interface Report extends Partial<Record<TaskName, number>>, Cost {
  /** The tasks that failed, by name. */
  failed?: string[]
  /** Whether the run ended because it had used what it may, with work under way. */
  has_backlog?: true
}

/**
 * Does what time asks for: purges what has been in the trash for long enough, expires uploads and shares, removes
 * objects that no record refers to any more, and forgets what was kept for a time. One run uses at most JOB_QUERIES
 * and JOB_CALLS. The tasks take turns, a step at a time, and each run begins with another one, so that none keeps the
 * others from theirs, whether it is endless, fails or is left without an answer. A run that is cut off anywhere leaves
 * nothing half done.
 */
export async function runJob(job: Job): Promise<Report> {
  const budget = new Budget(job, { queries: job.config.JOB_QUERIES, calls: job.config.JOB_CALLS })
  const run = new Run(budget)
  const order = await run.order()
  for (let busy = order; busy.length > 0; ) {
    const next = await run.pass(busy)
    busy = order.filter((name) => next.has(name))
  }
  return run.report
}

class Run {
  readonly #budget: Budget
  readonly #done: Partial<Record<TaskName, number>> = {}
  readonly #failed: string[] = []
  #isCut = false

  constructor(budget: Budget) {
    this.#budget = budget
  }

  get report(): Report {
    const isBusy = Object.keys(this.#done).length > 0
    return {
      ...this.#done,
      ...this.#budget.used,
      ...(this.#failed.length > 0 && { failed: this.#failed }),
      // A run that got nothing done leaves what there is to the schedule.
      ...(this.#isCut && isBusy && { has_backlog: true as const }),
    }
  }

  /** The tasks, beginning with another one in each run. */
  async order(): Promise<TaskName[]> {
    const names = Object.keys(tasks).filter(isTaskName)
    const { db } = this.#budget.job
    try {
      const [row] = await db.all<{ position: string }>(
        sql`INSERT INTO progress (task, position) VALUES ('runs', '1')
          ON CONFLICT (task) DO UPDATE SET position = CAST(position AS INTEGER) + 1 RETURNING position`,
      )
      const first = Number(row?.position ?? 0) % names.length
      return [...names.slice(first), ...names.slice(0, first)]
    } catch (error) {
      this.#fail('order', error)
      return names
    }
  }

  /** Takes a step of each of these tasks. Tells which tasks may have something to do then. */
  async pass(busy: TaskName[]): Promise<Set<string>> {
    const next = new Set<string>()
    for (const name of busy) {
      if ((await this.#take(name)) === 0) continue
      const { feeds = [] }: Task = tasks[name]
      for (const task of [name, ...feeds]) next.add(task)
    }
    return next
  }

  /** Takes one step. Tells how much it did. */
  async #take(name: TaskName): Promise<number> {
    const task: Task = tasks[name]
    if (this.#failed.includes(name)) return 0
    if (!this.#budget.holds(task)) {
      this.#isCut = true
      return 0
    }
    const [before, began] = [this.#budget.used, Date.now()]
    try {
      const done = await task.step(this.#budget.job)
      if (done === 0) return 0
      this.#done[name] = (this.#done[name] ?? 0) + done
      await this.#budget.job.pause(Date.now() - began)
      return done
    } catch (error) {
      this.#fail(name, error)
      return 0
    } finally {
      const { queries, calls } = this.#budget.used
      if (queries - before.queries > task.queries || calls - before.calls > task.calls)
        console.error(JSON.stringify({ message: 'a step used more than it may', task: name, queries, calls }))
    }
  }

  #fail(task: string, error: unknown): void {
    console.error(JSON.stringify({ message: 'a task of the job failed', task, error: String(error) }))
    this.#failed.push(task)
  }
}

function isTaskName(name: string): name is TaskName {
  return Object.hasOwn(tasks, name)
}

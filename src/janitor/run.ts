import { sql } from 'drizzle-orm'
import { assetTasks } from '../features/assets/tasks.ts'
import { catalogueTasks } from '../features/catalogue/tasks.ts'
import { contentTasks } from '../features/content/tasks.ts'
import { favoriteTasks } from '../features/favorites/tasks.ts'
import { moderationTasks } from '../features/moderation/tasks.ts'
import { muteTasks } from '../features/mutes/tasks.ts'
import { recallTasks } from '../features/saves/recalls/tasks.ts'
import { shareTasks } from '../features/shares/tasks.ts'
import { trashTasks } from '../features/trash/tasks.ts'
import { uploadTasks } from '../features/uploads/tasks.ts'
import { auditTasks } from '../operators/audit/tasks.ts'
import { erasureTasks } from '../operators/erasure/tasks.ts'
import { eventTasks, WAKE_COST } from '../operators/events/tasks.ts'
import type { WordedTask } from '../operators/job/words.ts'
import { partTasks } from '../operators/reconcile/tasks.ts'
import { recordTurn, recordWaiting } from '../operators/shards/mover/turn.ts'
import { type JobContext, type StepContext, seconds } from '../platform/context.ts'
import { progress } from '../platform/db/schema.ts'
import { insert, joined } from '../platform/db/sql.ts'
import { isUnavailable } from '../platform/jobs/owners.ts'
import { type Cost, keyTasks, type Task } from '../platform/jobs/tasks.ts'
import { logError } from '../platform/lib/log.ts'
import { counted } from '../platform/lib/metrics.ts'
import { movingPartitions } from '../platform/shards/partitions.ts'
import { pairWithBucket } from '../platform/storage/pairing.ts'

// `uploads_deleted` has its turn after the walk through the bucket (`objects_checked`), on which it depends.
const { uploads_deleted, ...uploadTasksBefore } = uploadTasks

const inOrder = {
  ...erasureTasks,
  ...uploadTasksBefore,
  ...trashTasks,
  ...assetTasks,
  ...catalogueTasks,
  ...shareTasks,
  ...muteTasks,
  ...favoriteTasks,
  ...moderationTasks,
  ...contentTasks,
  uploads_deleted,
  ...keyTasks,
  ...eventTasks,
  ...auditTasks,
  ...partTasks,
  ...recallTasks,
}

/** A task without words for people does not compile. */
type Worded<Name extends WordedTask> = Name

type TaskName = Worded<keyof typeof inOrder>

/** Every task of the job, in the order of their turns. A name in `feeds` that no task has does not compile. */
const tasks: Record<WordedTask, Task<TaskName>> = inOrder

/** The names of the tasks, in the order of their turns. */
export const taskNames = Object.keys(tasks).filter(isTaskName)

/** How much each task of a run processed, and the cost of the run. */
export interface Report extends Partial<Record<TaskName, number>>, Cost {
  /** The names of the tasks that failed. */
  failed?: string[]
  /** The run stopped at its budget after some progress: another run should follow at once. */
  has_backlog?: true
  /** When a task is due next (Unix seconds): another run should follow then. */
  next_at?: number
  /** Partitions are being moved to or from the database: the job waits for the end of the move or for its turn. */
  waits_for_move?: true
  /** The job is switched off (JOB=off), and the run did nothing. */
  is_off?: true
}

/**
 * Runs every task until none has anything to do: a scheduled job expires, purges and cleans up. One run uses at most
 * JOB_QUERIES and JOB_CALLS. The tasks take turns, one step each, and each run starts with another task, so that a task
 * that never ends, fails or times out doesn't stop the others. A run may be interrupted anywhere.
 */
export async function runJob(ctx: JobContext): Promise<Report> {
  const { JOB_QUERIES, JOB_CALLS, WEBHOOK_URL } = ctx.config
  // `wakeAfterJob` follows the run in the same invocation.
  const reserved = WEBHOOK_URL === undefined ? { queries: 0, calls: 0 } : WAKE_COST
  const budget = new Budget(ctx, {
    queries: JOB_QUERIES - reserved.queries,
    calls: JOB_CALLS - reserved.calls,
  })
  const run = new JobRun(budget)
  if (await run.mayRun()) {
    const order = await run.begin()
    let next = await run.due(order)
    while (next.size > 0) next = await run.pass(order.filter((name) => next.has(name)))
    await run.end()
  }
  return run.report
}

/**
 * Counts the cost of a run and compares it with the run's limits: D1 lets an invocation send 1,000 queries, and Workers limits
 * its calls to other services. The bindings of `job` count their calls.
 */
class Budget {
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

class JobRun {
  readonly #budget: Budget
  readonly #done: Partial<Record<TaskName, number>> = {}
  readonly #failed: string[] = []
  readonly #context: StepContext
  #isOverBudget = false
  #waitsForMove = false

  constructor(budget: Budget) {
    this.#budget = budget
    this.#context = {
      ...budget.job,
      pairing_id: undefined,
      separately: new Set(),
      asked: new Set(),
      next_at: undefined,
    }
  }

  get report(): Report {
    const isBusy = Object.keys(this.#done).length > 0
    return {
      ...this.#done,
      ...this.#budget.used,
      ...(this.#failed.length > 0 && { failed: this.#failed }),
      // After a run without progress, the next run waits for the schedule.
      ...(this.#isOverBudget && isBusy && { has_backlog: true as const }),
      ...(this.#context.next_at !== undefined && { next_at: this.#context.next_at }),
      ...(this.#waitsForMove && { waits_for_move: true as const }),
    }
  }

  /** Whether the run may begin: every partition's database is bound, and no partition of this database is being moved. */
  async mayRun(): Promise<boolean> {
    const { databases, db } = this.#context
    await this.#attempt('databases_bound', () => expectAllBound(this.#context))
    if (this.#failed.length > 0) return false
    await this.#attempt('moves_known', async () => {
      await this.#hasMove()
    })
    if (this.#failed.length > 0) return false
    if (!this.#waitsForMove) return true
    await this.#attempt('turn', () => recordWaiting(databases, db.name, seconds(this.#context)))
    return false
  }

  /** Records that the job has had its turn. */
  async end(): Promise<void> {
    await this.#attempt('turn', () => recordTurn(this.#context, seconds(this.#context), this.#waitsForMove))
  }

  /** Whether partitions of this database are being moved: then the database refuses the job's writes. */
  async #hasMove(): Promise<boolean> {
    const { db } = this.#context
    if (!this.#waitsForMove) this.#waitsForMove = (await db.read(movingPartitions)).length > 0
    return this.#waitsForMove
  }

  /** Compares the pairing ids of the bucket and the database. Returns the tasks in the order of this run. */
  async begin(): Promise<TaskName[]> {
    await this.#attempt('bucket_paired', async () => {
      this.#context.pairing_id = await pairWithBucket(this.#context)
    })
    let first = 0
    await this.#attempt('order', async () => {
      const [row] = await this.#context.db.write<{ position: string }>(
        sql`${insert(progress, { task: 'runs', position: '1' })}
          ON CONFLICT (task) DO UPDATE SET position = CAST(position AS INTEGER) + 1 RETURNING position`,
      )
      first = Number(row?.position ?? 0) % taskNames.length
    })
    return [...taskNames.slice(first), ...taskNames.slice(0, first)]
  }

  /** The tasks that may have something to do at the beginning. */
  async due(order: TaskName[]): Promise<Set<string>> {
    const next = new Set<string>(order)
    await this.#attempt('due', async () => {
      for (const [name, isDue] of await dueOrNot(this.#context)) if (!isDue) next.delete(name)
    })
    return next
  }

  /** Takes a step of each of these tasks. Returns the tasks that may have something to do afterwards. */
  async pass(busy: TaskName[]): Promise<Set<string>> {
    const next = new Set<string>()
    for (const name of busy) {
      if ((await this.#take(name)) === 0) continue
      const { feeds = [] } = tasks[name]
      for (const task of [name, ...feeds]) next.add(task)
    }
    return next
  }

  /** Takes one step. Returns how much it did; 0 when it failed or the budget doesn't hold it. */
  async #take(name: TaskName): Promise<number> {
    const task = tasks[name]
    if (this.#waitsForMove || this.#failed.includes(name)) return 0
    const cost = this.#costOf(task)
    if (!this.#budget.canAfford(cost)) {
      this.#isOverBudget = true
      return 0
    }
    const before = this.#budget.used
    let done = 0
    await this.#attempt(name, async () => {
      const began = Date.now()
      done = await task.step(this.#context)
      if (done === 0) return
      this.#done[name] = (this.#done[name] ?? 0) + done
      await this.#context.pause(Date.now() - began)
    })
    const { queries, calls } = this.#budget.used
    if (queries - before.queries > cost.queries || calls - before.calls > cost.calls)
      logError('a step cost more than its task declares', { task: name, queries, calls })
    return done
  }

  /** The highest cost of a step of a task. */
  #costOf({ queries, queriesPerDatabase = 0, calls }: Task): Cost {
    return { queries: queries + queriesPerDatabase * this.#context.databases.names.length, calls }
  }

  async #attempt(task: string, act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      // A move that began during the run refuses writes. The task continues after the move.
      if (isUnavailable(error) && (await this.#hasMove().catch(() => false))) return
      logError('a task of the job failed', { task, error: String(error) })
      this.#failed.push(task)
    }
  }
}

/** Each task that has `due`, and whether that has a row: one query asks for all of them. */
export async function dueOrNot(ctx: JobContext): Promise<[TaskName, isDue: boolean][]> {
  const asked = taskNames.flatMap((name) => {
    const due = tasks[name].due?.(ctx)
    return due ? [{ name, isDue: sql`EXISTS (${due}) AS ${sql.raw(name)}` }] : []
  })
  const [row] = await ctx.db.read<Record<string, 0 | 1>>(
    sql`SELECT ${joined(
      asked.map(({ isDue }) => isDue),
      ', ',
    )}`,
  )
  return asked.map(({ name }) => [name, row?.[name] !== 0])
}

/**
 * Checks that every database with partitions that left this one is bound: the job must see references from there.
 *
 * @throws with the names of the databases that are not bound
 */
async function expectAllBound({ db, databases }: JobContext): Promise<void> {
  const places = await db.read<{ moved_to: string | null }>(
    sql`SELECT DISTINCT moved_to FROM partitions INDEXED BY partitions_elsewhere WHERE state <> 'open'`,
  )
  const missing = places.filter(({ moved_to }) => moved_to !== null && !databases.names.includes(moved_to))
  if (missing.length > 0)
    throw new Error(
      `partitions are in ${missing.map(({ moved_to }) => moved_to).join(', ')}, which is not bound: nothing is done. ` +
        'See docs/scaling.md#taking-a-database-away',
    )
}

function isTaskName(name: string): name is TaskName {
  return Object.hasOwn(tasks, name)
}

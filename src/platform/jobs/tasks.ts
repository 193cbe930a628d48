import { type SQL, sql } from 'drizzle-orm'
import { BATCH_SIZE, type JobContext, type StepContext, seconds } from '../context.ts'
import { KEY_LIFETIME_SECONDS } from '../db/idempotency.ts'

/** The cost of a step or a run of the job. */
export interface Cost {
  /** Statements sent to D1; each statement of a batch counts. */
  queries: number
  /** Calls to R2, to inboxes and to saves. */
  calls: number
}

/**
 * A task of the job, with the highest cost of one of its steps. A feature exports its tasks from its file `tasks.ts`. The name
 * of a task is the name of its count in the report.
 */
export interface Task<Name extends string = string> extends Cost {
  /** Further queries of a step for each database. */
  queriesPerDatabase?: number
  /**
   * Takes one step. A step takes effect as a whole or not at all, and the next step, in this run or another, finds what is
   * left. Returns how many rows or objects it processed: 0 when there is nothing to do.
   */
  step: (ctx: StepContext) => Promise<number>
  /**
   * A SELECT over the database of the run that has a row whenever a step has something to do. A run asks for all tasks at once, and
   * takes no step of a task without a row until a step that feeds it has done something. Without it a step finds out by itself.
   */
  due?: (ctx: JobContext) => SQL
  /** The tasks that may have something to do after a step of this one. */
  feeds?: readonly Name[]
}

/** The task of idempotency keys. */
export const keyTasks = {
  keys_deleted: { step: deleteExpiredKeys, due: expiredKeys, queries: 2, calls: 0 },
} as const satisfies Record<string, Task>

function expiredKeys(ctx: JobContext): SQL {
  return sql`SELECT caller_id, key FROM idempotency WHERE created_at <= ${seconds(ctx) - KEY_LIFETIME_SECONDS} LIMIT ${BATCH_SIZE}`
}

/** Deletes idempotency keys that are older than KEY_LIFETIME_SECONDS. Returns how many. */
async function deleteExpiredKeys(ctx: JobContext): Promise<number> {
  const deleted = await ctx.db.write(
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (${expiredKeys(ctx)}) RETURNING key`,
  )
  return deleted.length
}

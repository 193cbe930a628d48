import { sql } from 'drizzle-orm'
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
  /** The tasks that may have something to do after a step of this one. */
  feeds?: readonly Name[]
}

/** The task of idempotency keys. */
export const keyTasks = {
  keys_deleted: { step: deleteExpiredKeys, queries: 2, calls: 0 },
} as const satisfies Record<string, Task>

/** Deletes idempotency keys that are older than KEY_LIFETIME_SECONDS. Returns how many. */
async function deleteExpiredKeys(ctx: JobContext): Promise<number> {
  const deleted = await ctx.db.write(
    sql`DELETE FROM idempotency WHERE (caller_id, key) IN (
        SELECT caller_id, key FROM idempotency WHERE created_at <= ${seconds(ctx) - KEY_LIFETIME_SECONDS} LIMIT ${BATCH_SIZE}
      ) RETURNING key`,
  )
  return deleted.length
}

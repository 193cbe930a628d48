import { sql } from 'drizzle-orm'
import { seconds } from '../../platform/context.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { copyLists, LISTS_PER_STEP } from './copy.ts'

/** The task of muted users. */
export const muteTasks = {
  mutes_copied: {
    step: copyLists,
    due: (ctx) => sql`SELECT 1 FROM mute_lists WHERE due_at <= ${seconds(ctx)}`,
    queries: 4,
    calls: LISTS_PER_STEP,
  },
} as const satisfies Record<string, Task>

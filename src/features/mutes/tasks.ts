import type { Task } from '../../platform/jobs/tasks.ts'
import { copyLists, LISTS_PER_STEP } from './copy.ts'

/** The task of muted users. */
export const muteTasks = {
  mutes_copied: { step: copyLists, queries: 4, calls: LISTS_PER_STEP },
} as const satisfies Record<string, Task>

import type { Task } from '../../platform/jobs/tasks.ts'
import { collectGarbage } from './collect-garbage.ts'
import { removeOrphans } from './orphans.ts'

/** The tasks of objects in R2. */
export const contentTasks = {
  objects_removed: { step: collectGarbage, queries: 24, calls: 32 },
  objects_checked: { step: removeOrphans, queries: 7, calls: 1, feeds: ['uploads_deleted'] },
} as const satisfies Record<string, Task>

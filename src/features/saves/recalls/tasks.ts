import { deletesAged } from '../../../platform/jobs/aged-rows.ts'
import type { Task } from '../../../platform/jobs/tasks.ts'

/** How long the id of a report is kept, which an object may send again as long as it has had no answer. */
const KEPT_DAYS = 30

/** The task of recalls. */
export const recallTasks = {
  recall_reports_deleted: deletesAged('recall_reports', () => KEPT_DAYS),
} as const satisfies Record<string, Task>

import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type StepContext, seconds } from '../../../platform/context.ts'
import { earliestId } from '../../../platform/db/audit.ts'
import type { Task } from '../../../platform/jobs/tasks.ts'
import { DAY } from '../../../platform/lib/units.ts'

/** How long the id of a report is kept, which an object may send again as long as it has had no answer. */
const KEPT_DAYS = 30

/** The task of recalls. */
export const recallTasks = {
  recall_reports_deleted: { step: deleteOldReports, queries: 2, calls: 0 },
} as const satisfies Record<string, Task>

/** Deletes up to BATCH_SIZE ids of reports that are older than KEPT_DAYS. Returns how many. */
async function deleteOldReports(ctx: StepContext): Promise<number> {
  if (ctx.db.name !== ctx.databases.common.name) return 0
  const oldest = earliestId(seconds(ctx) - KEPT_DAYS * DAY)
  const deleted = await ctx.db.write(
    sql`DELETE FROM recall_reports WHERE id IN (
        SELECT id FROM recall_reports WHERE id < ${oldest} ORDER BY id LIMIT ${BATCH_SIZE}
      ) RETURNING id`,
  )
  return deleted.length
}

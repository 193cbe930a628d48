import { sql } from 'drizzle-orm'
import { BATCH_SIZE, type StepContext, seconds } from '../../platform/context.ts'
import { earliestId } from '../../platform/db/audit.ts'
import type { Task } from '../../platform/jobs/tasks.ts'
import { DAY } from '../../platform/lib/units.ts'
import { FIRST } from '../../platform/shards/map.ts'

/** The task of the audit. */
export const auditTasks = {
  audit_deleted: { step: deleteOldEntries, queries: 2, calls: 0 },
} as const satisfies Record<string, Task>

/** Deletes up to BATCH_SIZE entries that are older than AUDIT_RETENTION_DAYS. Returns how many. */
async function deleteOldEntries(ctx: StepContext): Promise<number> {
  if (ctx.db.name !== FIRST) return 0
  const oldest = earliestId(seconds(ctx) - ctx.config.AUDIT_RETENTION_DAYS * DAY)
  const deleted = await ctx.db.write(
    sql`DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id < ${oldest} ORDER BY id LIMIT ${BATCH_SIZE}) RETURNING id`,
  )
  return deleted.length
}

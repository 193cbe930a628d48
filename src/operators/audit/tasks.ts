import { deleteAged } from '../../platform/jobs/aged-rows.ts'
import type { Task } from '../../platform/jobs/tasks.ts'

/** The task of the audit, whose entries are kept AUDIT_RETENTION_DAYS. */
export const auditTasks = {
  audit_deleted: {
    step: (ctx) => deleteAged(ctx, 'audit', ctx.config.AUDIT_RETENTION_DAYS),
    queries: 2,
    calls: 0,
  },
} as const satisfies Record<string, Task>

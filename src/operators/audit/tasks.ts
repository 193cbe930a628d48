import { deletesAged } from '../../platform/jobs/aged-rows.ts'
import type { Task } from '../../platform/jobs/tasks.ts'

/** The task of the audit, whose entries are kept AUDIT_RETENTION_DAYS. */
export const auditTasks = {
  audit_deleted: deletesAged('audit', ({ config }) => config.AUDIT_RETENTION_DAYS),
} as const satisfies Record<string, Task>

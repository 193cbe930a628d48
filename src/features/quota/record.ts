import { getTableColumns } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import { usage } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'
import type { Quota } from './schema.ts'

const { used_bytes, limit_bytes } = getTableColumns(usage)
const columns = { used_bytes, limit_bytes }

/** The columns of a user's usage row that a quota is made of. */
export interface QuotaRow extends RowOf<typeof columns> {}

/** SQL: the columns of a QuotaRow. */
export const quotaColumns = columnsOf(columns)

/** A quota as the API shows it (docs/conformance.md#2-records). A user without a row has used nothing. */
export function quotaRecord(row: QuotaRow | undefined, config: Config): Quota {
  const used_bytes = row?.used_bytes ?? 0
  const limit_bytes = row?.limit_bytes ?? config.DEFAULT_QUOTA_BYTES
  return {
    used_bytes,
    limit_bytes,
    available_bytes: Math.max(0, limit_bytes - used_bytes),
    usage_percent: limit_bytes === 0 ? 100 : (100 * used_bytes) / limit_bytes,
  }
}

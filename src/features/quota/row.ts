import { getTableColumns } from 'drizzle-orm'
import { usage } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'

const { used_bytes, limit_bytes } = getTableColumns(usage)
const columns = { used_bytes, limit_bytes }

/** The columns of a user's usage row that a quota is made of. */
export interface QuotaRow extends RowOf<typeof columns> {}

/** SQL: the columns of a QuotaRow. */
export const quotaColumns = columnsOf(columns)

import { getTableColumns } from 'drizzle-orm'
import { shares } from '../db/schema.ts'
import { columnsOf, type RowOf } from '../db/sql.ts'

const { expired, owner_id, ...columns } = getTableColumns(shares)

/** A row of `shares`, which is also what the API shows (specification §2.3). From `expires_at` on it has expired. */
export interface ShareRow extends RowOf<typeof columns> {}

/** SQL: the columns of a ShareRow. */
export const shareColumns = columnsOf(columns)

/** Whether a share has expired at a time in Unix seconds. */
export function hasExpired({ expires_at }: ShareRow, now: number): boolean {
  return expires_at !== null && expires_at <= now
}

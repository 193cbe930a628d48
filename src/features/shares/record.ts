import { getTableColumns, sql } from 'drizzle-orm'
import { shares } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'
import { itemColumns } from '../files/record.ts'
import type { SharedWithMe } from './schema.ts'

const { expired, owner_id: _, ...columns } = getTableColumns(shares)

/** A row of `shares`, which is also the record that the API shows (docs/conformance.md#2-records). */
export interface ShareRow extends RowOf<typeof columns> {}

/** SQL: the columns of a ShareRow. */
export const shareColumns = columnsOf(columns)

/** Whether a share has expired at a time in Unix seconds: from `expires_at` on. */
export function hasExpired({ expires_at }: ShareRow, now: number): boolean {
  return expires_at !== null && expires_at <= now
}

const { name, asset_type, size_bytes, mime_type, owner_id } = itemColumns
const sharedColumns = { name, asset_type, size_bytes, mime_type, owner_id }

/** A share and the file that it gives access to, as the grantee's list reads them. */
export interface SharedRow extends ShareRow, RowOf<typeof sharedColumns> {
  /** null: the grantee may not see the file */
  in_trash: 0 | 1 | null
}

/** SQL: the columns of a SharedRow but `in_trash`; `item` is the file. */
export const shareAndFileColumns = sql`${columnsOf(columns, 'shares')}, ${columnsOf(sharedColumns, 'item')}`

/** A share with its file as the grantee's list shows it. */
export function sharedRecord(row: SharedRow): SharedWithMe {
  const { id, file_id, grantee_id, permission, expires_at, created_at } = row
  const { name, asset_type, size_bytes, mime_type, owner_id, in_trash } = row
  const file = { id: file_id, name, asset_type, size_bytes, mime_type, owner_id, in_trash: in_trash === 1 }
  return { id, file_id, grantee_id, permission, expires_at, created_at, file }
}

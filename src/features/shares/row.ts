import type { z } from '@hono/zod-openapi'
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { shares } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { itemColumns } from '../files/row.ts'
import type { Share, SharedWithMe } from './schema.ts'

const { expired, owner_id: _, ...columns } = getTableColumns(shares)

/** The columns of `shares` that rules and records use. */
export interface ShareRow extends RowOf<typeof columns> {}

/** SQL: the columns of a ShareRow. */
export const shareColumns = columnsOf(columns)

/** Whether a share has expired at a time in Unix seconds: from `expires_at` on. */
export function hasExpired({ expires_at }: Pick<ShareRow, 'expires_at'>, now: number): boolean {
  return expires_at !== null && expires_at <= now
}

/** SQL: whether a row of `shares` has not expired, as `hasExpired` decides. */
export function isUnexpired(now: SQL): SQL {
  return sql`(expires_at IS NULL OR expires_at > ${now})`
}

/** SQL: whether a row of `shares` has not been erased with its grantee. An erased owner's file is erased. */
export const isNotErasedShare = sql`shares.created_at > ${erasedUntil(sql`shares.grantee_id`)}`

const { name, asset_type, size_bytes, mime_type, owner_id } = itemColumns
const sharedColumns = { name, asset_type, size_bytes, mime_type, owner_id }

/** A share and its file, as the grantee's list reads them. */
export interface SharedWithMeRow extends ShareRow, RowOf<typeof sharedColumns> {
  /** Whether the file is in its owner's trash; null: the grantee may not see the file. */
  in_trash: 0 | 1 | null
}

/** SQL: the columns of a SharedWithMeRow except `in_trash`; `item` is the file. */
export const shareAndFileColumns = sql`${columnsOf(columns, 'shares')}, ${columnsOf(sharedColumns, 'item')}`

/** A share as the API shows it (docs/conformance.md#shares). */
export function shareRecord(share: ShareRow): z.output<typeof Share> {
  const { id, file_id, grantee_id, permission, expires_at, created_at } = share
  return { id, file_id, grantee_id, permission, expires_at, created_at }
}

/** A share with its file, as the grantee's list shows them. */
export function sharedWithMeRecord(row: SharedWithMeRow): SharedWithMe {
  const { file_id, name, asset_type, size_bytes, mime_type, owner_id, in_trash } = row
  const file = { id: file_id, name, asset_type, size_bytes, mime_type, owner_id, in_trash: in_trash === 1 }
  return { ...shareRecord(row), file }
}

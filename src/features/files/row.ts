import { getTableColumns } from 'drizzle-orm'
import { files } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'

const { charged_bytes, share_count, expired_share_count, ...columns } = getTableColumns(files)

/** The columns of `files` that rules and records use. */
export const itemColumns = columns

/** A row of `files` with the columns that rules and records use. */
export interface FileRow extends RowOf<typeof itemColumns> {}

/** SQL: the columns of a FileRow, by their plain names. */
export const fileColumns = columnsOf(itemColumns)

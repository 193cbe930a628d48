import type { z } from '@hono/zod-openapi'
import { getTableColumns } from 'drizzle-orm'
import { files } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'
import type { ChangedFile, FileRecord, ListedFile } from './schema.ts'

const { charged_bytes, share_count, expired_share_count, ...columns } = getTableColumns(files)

/** The columns of `files` that rules and records use. */
export const itemColumns = columns

/** A row of `files` with the columns that rules and records use. */
export interface FileRow extends RowOf<typeof itemColumns> {}

/** SQL: the columns of a FileRow, by their plain names. */
export const fileColumns = columnsOf(itemColumns)

/** An item as the answer to a change shows it, without MIME type and processing state (docs/conformance.md#2-records). */
export function changedRecord(file: FileRow): z.output<typeof ChangedFile> {
  const { id, owner_id, parent_id, name, asset_type, size_bytes, is_public, created_at, updated_at } = file
  return {
    id,
    owner_id,
    parent_id,
    name,
    asset_type,
    size_bytes,
    is_public: is_public === 1,
    created_at,
    updated_at,
    // Only the owner sees a blocked item.
    ...(file.blocked === 1 && { blocked: true as const }),
  }
}

/** An item as the API shows it (docs/conformance.md#2-records). */
export function fileRecord(file: FileRow): z.output<typeof FileRecord> {
  const { mime_type, processing_state } = file
  return { ...changedRecord(file), mime_type, processing_state }
}

/** An item as lists show it. */
export function listedRecord(file: FileRow): z.output<typeof ListedFile> {
  return file.asset_type === 'folder' ? { ...fileRecord(file), shortcode: null } : fileRecord(file)
}

import type { z } from '@hono/zod-openapi'
import { getTableColumns } from 'drizzle-orm'
import { files } from '../db/schema.ts'
import { columnsOf, type RowOf } from '../db/sql.ts'
import type { ChangedFile, FileRecord, ListedFile } from './schema.ts'

const { charged_bytes, share_count, expired_share_count, ...columns } = getTableColumns(files)

/** The columns of `files` that rules and answers look at. */
export const itemColumns = columns

/** A row of `files`, as far as rules and answers look at it. */
export interface FileRow extends RowOf<typeof itemColumns> {}

/** SQL: the columns of a FileRow, of whatever in the statement bears the plain names. */
export const fileColumns = columnsOf(itemColumns)

/** An item as changing it answers: without what is about its content (specification §2.1). */
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
    // Nobody but the owner ever gets to see a blocked item.
    ...(file.blocked === 1 && { blocked: true as const }),
  }
}

/** An item as asking for it answers. */
export function fileRecord(file: FileRow): z.output<typeof FileRecord> {
  const { mime_type, processing_state } = file
  return { ...changedRecord(file), mime_type, processing_state }
}

/** An item as a listing shows it. */
export function listedRecord(file: FileRow): z.output<typeof ListedFile> {
  return file.asset_type === 'folder' ? { ...fileRecord(file), shortcode: null } : fileRecord(file)
}

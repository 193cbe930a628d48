import type { z } from '@hono/zod-openapi'
import sql from 'sql-template-tag'
import type { assetTypes, ChangedFile, FileRecord, ListedFile, processingStates } from './schema.ts'

/** A row of `files`, as far as rules and answers look at it. */
export interface FileRow {
  id: string
  owner_id: string
  parent_id: string | null
  name: string
  asset_type: (typeof assetTypes)[number]
  size_bytes: number
  mime_type: string | null
  processing_state: (typeof processingStates)[number] | null
  is_public: 0 | 1
  blocked: 0 | 1
  object_key: string | null
  revision: number
  created_at: number
  updated_at: number
  /** Milliseconds; set on what was deleted directly. */
  trashed_at: number | null
  purging: 0 | 1
}

/** The columns of a FileRow, of whatever in the statement bears the plain names. */
export const fileColumns = sql`id, owner_id, parent_id, name, asset_type, size_bytes, mime_type,
  processing_state, is_public, blocked, object_key, revision, created_at, updated_at, trashed_at, purging`

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

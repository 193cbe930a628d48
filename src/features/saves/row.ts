import { inertContent } from '../../platform/lib/inert-content.ts'
import type { SaveContent } from './rpc.ts'
import type { ListedSave, Save } from './schema.ts'

/** A row of `revisions` without its bytes. */
export interface RevisionRow extends SaveContent {
  id: number
  slot: string
  revision: number
  /** No higher number has been used in the slot, except by rows that it still has. */
  last_revision: number
  /** Rises with every revision and deletion, over all slots: the lowest is the oldest. */
  change_number: number
  /** 1: it has the bytes of a write that was refused. */
  is_kept: number
  /** The condition of the request that wrote it (`condition.ts`). */
  condition: string | null
  /** The Idempotency-Key of that request. Known as long as the row is. */
  idempotency_key: string | null
  /** 1: the slot was empty before. */
  made_slot: number
  /** When the slot was made. */
  created_at: number
  updated_at: number
  /** When the slot was deleted, if this is its current revision. */
  deleted_at: number | null
  /** Who wrote or restored it; null: the player. */
  written_by: string | null
  /** The recall that made it. */
  recall_id: string | null
  /** When the content of a recall's revision was written; null: at `updated_at`. */
  content_at: number | null
}

/** The columns of a row, without its id and its bytes, in the order of the table. */
export const columns = [
  'slot',
  'revision',
  'last_revision',
  'change_number',
  'is_kept',
  'condition',
  'idempotency_key',
  'made_slot',
  'created_at',
  'updated_at',
  'deleted_at',
  'size_bytes',
  'mime_type',
  'checksum_sha256',
  'device',
  'label',
  'played_seconds',
  'written_by',
  'recall_id',
  'content_at',
] as const satisfies readonly (keyof RevisionRow)[]

/** The save at a revision, as callers see it. */
export function saveOf(row: RevisionRow): Save {
  const { slot, revision, size_bytes, mime_type, checksum_sha256 } = row
  const { device, label, played_seconds, written_by, recall_id, created_at, updated_at } = row
  return {
    slot,
    revision,
    size_bytes,
    mime_type,
    checksum_sha256,
    device,
    label,
    played_seconds,
    written_by,
    recall_id,
    created_at,
    updated_at,
  }
}

/** The save of a list: a deleted one has the time. */
export function listedSaveOf(row: RevisionRow): ListedSave {
  return row.deleted_at === null ? saveOf(row) : { ...saveOf(row), deleted_at: row.deleted_at }
}

/** The headers of the bytes, which may have any type. */
export function contentHeaders(save: Save): Record<string, string> {
  const { mime_type, size_bytes, device, label, played_seconds } = save
  return {
    'Content-Type': mime_type,
    'Content-Length': String(size_bytes), // HEAD has no body that would tell
    'Content-Disposition': 'attachment',
    ...inertContent,
    ...(device !== null && { 'Save-Device': encodeURIComponent(device) }),
    ...(label !== null && { 'Save-Label': encodeURIComponent(label) }),
    ...(played_seconds !== null && { 'Save-Played-Seconds': String(played_seconds) }),
  }
}

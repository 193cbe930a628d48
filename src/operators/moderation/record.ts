import type { BlockedRow } from './list.ts'
import type { BlockedContent } from './schema.ts'

/** The API's representation of a block. */
export function blockedRecord(row: BlockedRow): BlockedContent {
  const { kind, id, owner_id, name, blocked_at, blocked_by, reason } = row
  return { kind, id, owner_id, name, blocked_at, blocked_by, reason }
}

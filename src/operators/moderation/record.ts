import type { BlockedRow } from './list.ts'
import type { BlockedContent } from './schema.ts'

/** A block as the API shows it, with the owner and name of what is blocked. */
export function blockedRecord(row: BlockedRow): BlockedContent {
  const { kind, id, owner_id, name, blocked_at, blocked_by, reason } = row
  return { kind, id, owner_id, name, blocked_at, blocked_by, reason }
}

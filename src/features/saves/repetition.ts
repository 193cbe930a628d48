import { hasContent, textOf } from './condition.ts'
import type { RevisionRow } from './row.ts'
import type { SaveWrite } from './rpc.ts'
import { revisionsIn, type Slot } from './slots.ts'

/** A write, and who sends it; null: the player. */
export interface AuthoredWrite extends SaveWrite {
  written_by: string | null
}

/** The revision that was written with the key of a request, in any slot. */
export function keyedRow(slots: Map<string, Slot>, { idempotency_key }: SaveWrite): RevisionRow | undefined {
  if (idempotency_key === null) return undefined
  return revisionsIn(slots.values()).find((row) => row.idempotency_key === idempotency_key)
}

/** Whether a revision was written by a request like this one. */
export function isSameRequest(row: RevisionRow, request: SaveWrite): boolean {
  return row.slot === request.slot && row.condition === textOf(request) && hasContent(row, request.content)
}

/** Whether a write without a key repeats the one that made a revision: both have one sender, the same bytes and the same condition. */
export function isRepeatedBy(row: RevisionRow, request: AuthoredWrite): boolean {
  const hasKey = row.idempotency_key !== null || request.idempotency_key !== null
  const isOfSender = row.written_by === request.written_by
  return !hasKey && isOfSender && row.condition !== null && isSameRequest(row, request)
}

/** Whether a revision was made under this condition by this sender, so that a request with the same one repeats its request. */
export function isRepetition(row: RevisionRow, condition: string | null, written_by: string | null): boolean {
  return condition !== null && row.condition === condition && row.written_by === written_by
}

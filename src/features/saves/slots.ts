import { DAY } from '../../platform/lib/time-units.ts'
import type { RevisionRow } from './row.ts'
import type { SaveRules } from './rpc.ts'

/** A slot with all of its revisions. */
export interface Slot {
  rows: RevisionRow[]
  /** The highest revision that is not kept. */
  current: RevisionRow
  /** The highest number that has been used. */
  last: number
}

/** The slots that have revisions, by name. */
export function slotsOf(rows: Iterable<RevisionRow>): Map<string, Slot> {
  const slots = new Map<string, Slot>()
  for (const [name, ofSlot] of Map.groupBy(rows, ({ slot }) => slot)) {
    const current = ofSlot
      .filter(({ is_kept }) => is_kept === 0)
      .reduce((highest, row) => (row.revision > highest.revision ? row : highest))
    const last = Math.max(...ofSlot.map((row) => Math.max(row.revision, row.last_revision)))
    slots.set(name, { rows: ofSlot, current, last })
  }
  return slots
}

/** Whether a slot was deleted. */
export function isDeleted(slot: Slot): boolean {
  return slot.current.deleted_at !== null
}

/** When a deleted slot can no longer be restored, in Unix seconds; undefined: it was not deleted. */
export function expiryOf(
  { current }: Slot,
  { retention_days }: Pick<SaveRules, 'retention_days'>,
): number | undefined {
  return current.deleted_at === null ? undefined : current.deleted_at + retention_days * DAY
}

/** Whether a slot was deleted so long ago that it cannot be restored. */
export function isExpired(slot: Slot, rules: Pick<SaveRules, 'now' | 'retention_days'>): boolean {
  const expiry = expiryOf(slot, rules)
  return expiry !== undefined && expiry <= rules.now
}

/** The bytes of revisions. */
export function bytesOf(rows: Iterable<RevisionRow>): number {
  let bytes = 0
  for (const { size_bytes } of rows) bytes += size_bytes
  return bytes
}

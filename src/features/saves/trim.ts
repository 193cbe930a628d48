import type { RevisionRow } from './row.ts'
import type { SaveRules } from './rpc.ts'
import { bytesOf, isDeleted, type Slot, slotsOf } from './slots.ts'

/** A revision that needs a place. */
export interface NewRevision {
  slot: string
  size_bytes: number
  /** Whether it becomes the current revision, so that the previous one can go. */
  is_current: boolean
  /** The revision whose content it has: it stays if anything else can go. */
  source?: RevisionRow
}

/**
 * The revisions to remove so that a slot can get a new one: in the slot, those beyond `max_revisions`; in all slots, as many as
 * `limit_bytes` requires. Those of deleted slots go first, the current ones of deleted slots after their others, then those of
 * the other slots, always the oldest first. Current ones of slots that are not deleted stay. Undefined when there is not enough
 * room.
 */
export function revisionsToRemove(
  rows: readonly RevisionRow[],
  added: NewRevision,
  { max_revisions, limit_bytes }: Pick<SaveRules, 'max_revisions' | 'limit_bytes'>,
): RevisionRow[] | undefined {
  const slots = slotsOf(rows)
  const removable = [...slots.values()].flatMap((slot) => removableOf(slot, added)).sort(byTurn)
  const removed = new Set<RevisionRow>()
  const ofSlot = removable.filter(({ row }) => row.slot === added.slot)
  const surplus = (slots.get(added.slot)?.rows.length ?? 0) + 1 - max_revisions
  if (surplus > ofSlot.length) return undefined
  for (const { row } of ofSlot.slice(0, Math.max(0, surplus))) removed.add(row)
  let used = bytesOf(rows) - bytesOf(removed) + added.size_bytes
  for (const { row } of removable) {
    if (used <= limit_bytes) break
    if (removed.has(row)) continue
    removed.add(row)
    used -= row.size_bytes
  }
  return used <= limit_bytes ? [...removed] : undefined
}

/** A revision that can go, and its place in the order. */
interface Removable {
  row: RevisionRow
  turn: number
}

/** The revisions of a slot that can go. */
function removableOf(slot: Slot, { slot: name, is_current, source }: NewRevision): Removable[] {
  const isAdded = slot.current.slot === name
  const isGone = isDeleted(slot) && !isAdded
  return slot.rows
    .filter((row) => row !== slot.current || isGone || (isAdded && is_current))
    .map((row) => ({ row, turn: row === source ? 3 : isGone ? (row === slot.current ? 1 : 0) : 2 }))
}

function byTurn(one: Removable, other: Removable): number {
  return one.turn - other.turn || one.row.change_number - other.row.change_number
}

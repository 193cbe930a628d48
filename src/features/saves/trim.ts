import { DAY } from '../../platform/lib/units.ts'
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
  /** Revisions of other slots that stay in any case. */
  spared?: ReadonlySet<RevisionRow>
}

type TrimRules = Pick<SaveRules, 'now' | 'max_revisions' | 'max_days' | 'limit_bytes'>

/**
 * The revisions to remove so that a slot can get a new one: in the slot, those beyond `max_revisions` that are not the last of one of
 * the `max_days`; in all slots, as many as `limit_bytes` requires. Those of deleted slots go first, the current ones of deleted slots
 * after their others, then those beyond `max_revisions` of the other slots, then their others, always the oldest first. Current ones
 * of slots that are not deleted stay. Undefined when there is not enough room.
 */
export function revisionsToRemove(
  rows: readonly RevisionRow[],
  added: NewRevision,
  rules: TrimRules,
): RevisionRow[] | undefined {
  const slots = slotsOf(rows)
  const removable = [...slots.values()].flatMap((slot) => removableOf(slot, added, rules))
  const removed = new Set<RevisionRow>()
  const own = slots.get(added.slot)
  if (own) {
    const kept = lastOfDays(own, rules)
    const ofSlot = removable.filter(({ row }) => row.slot === added.slot)
    const surplus = surplusOf(own, added, rules)
    if (surplus > ofSlot.length) return undefined
    for (const { row } of ofSlot.slice(0, surplus)) if (!kept.has(row)) removed.add(row)
  }
  let used = bytesOf(rows) - bytesOf(removed) + added.size_bytes
  for (const { row } of removable.toSorted(byTurn)) {
    if (used <= rules.limit_bytes) break
    if (removed.has(row)) continue
    removed.add(row)
    used -= row.size_bytes
  }
  return used <= rules.limit_bytes ? [...removed] : undefined
}

/** How many revisions of a slot are beyond `max_revisions`, the new one included. */
function surplusOf({ current, rows }: Slot, { slot }: NewRevision, { max_revisions }: TrimRules): number {
  return Math.max(0, rows.length + (current.slot === slot ? 1 : 0) - max_revisions)
}

/** Of each of the `max_days` UTC days before today, the last revision of a slot that was current. */
function lastOfDays({ rows }: Slot, { now, max_days = 0 }: TrimRules): Set<RevisionRow> {
  const today = dayOf(now)
  const lasts = new Map<number, RevisionRow>()
  for (const row of rows) {
    const day = dayOf(row.updated_at)
    if (row.is_kept === 1 || day >= today || day < today - max_days) continue
    if (row.revision > (lasts.get(day)?.revision ?? 0)) lasts.set(day, row)
  }
  return new Set(lasts.values())
}

function dayOf(seconds: number): number {
  return Math.floor(seconds / DAY)
}

/** A revision that can go, and its place in the order. */
interface Removable {
  row: RevisionRow
  turn: number
}

/** The revisions of a slot that can go, in their order. */
function removableOf(slot: Slot, added: NewRevision, rules: TrimRules): Removable[] {
  const { slot: name, is_current, source, spared } = added
  const isAdded = slot.current.slot === name
  const isGone = isDeleted(slot) && !isAdded
  const surplus = surplusOf(slot, added, rules)
  const turnOf = (row: RevisionRow, place: number) => {
    if (row === source) return 4
    if (isGone) return row === slot.current ? 1 : 0
    return place < surplus ? 2 : 3
  }
  return slot.rows
    .filter((row) => row !== slot.current || isGone || (isAdded && is_current))
    .filter((row) => isAdded || !spared?.has(row))
    .sort((one, other) => Number(one === source) - Number(other === source) || byAge(one, other))
    .map((row, place) => ({ row, turn: turnOf(row, place) }))
}

function byTurn(one: Removable, other: Removable): number {
  return one.turn - other.turn || byAge(one.row, other.row)
}

function byAge(one: RevisionRow, other: RevisionRow): number {
  return one.change_number - other.change_number
}

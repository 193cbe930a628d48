import { DAY } from '../../platform/lib/units.ts'
import { isServerSlot } from './access.ts'
import type { RevisionRow } from './row.ts'
import type { SaveRules, SlotLimits } from './rpc.ts'

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
function isExpired(slot: Slot, rules: Pick<SaveRules, 'now' | 'retention_days'>): boolean {
  const expiry = expiryOf(slot, rules)
  return expiry !== undefined && expiry <= rules.now
}

/** The slots that are not expired, by name. */
export function presentSlots(
  rows: Iterable<RevisionRow>,
  rules: Pick<SaveRules, 'now' | 'retention_days'>,
): Map<string, Slot> {
  return new Map([...slotsOf(rows)].filter(([, slot]) => !isExpired(slot, rules)))
}

/** The slots that can no longer be restored. */
export function expiredSlots(
  rows: Iterable<RevisionRow>,
  rules: Pick<SaveRules, 'now' | 'retention_days'>,
): Slot[] {
  return [...slotsOf(rows).values()].filter((slot) => isExpired(slot, rules))
}

/** The limits that hold for a slot. */
export function limitsOf(slot: string, rules: SaveRules): SlotLimits {
  return (isServerSlot(slot) && rules.of_servers) || rules
}

/** The rows of the slots that share their limits with a slot: the player's, or those of the studio's servers. */
export function besideSlot<Row extends { slot: string }>(slot: string, rows: Iterable<Row>): Row[] {
  return [...rows].filter((row) => isServerSlot(row.slot) === isServerSlot(slot))
}

/** The deleted slots beyond `max_slots` among those that share their limits with a slot, those that were deleted first. */
export function surplusOfDeleted(slot: string, rows: Iterable<RevisionRow>, rules: SaveRules): Slot[] {
  const { max_slots } = limitsOf(slot, rules)
  return [...slotsOf(besideSlot(slot, rows)).values()]
    .filter(isDeleted)
    .sort(({ current: one }, { current: other }) => other.change_number - one.change_number)
    .slice(max_slots)
}

/** Whether there are as many slots that are not deleted as `slot` may be one of. */
export function isFull(slot: string, slots: Map<string, Slot>, rules: SaveRules): boolean {
  const live = [...slots.values()].filter((other) => !isDeleted(other)).map(({ current }) => current)
  return besideSlot(slot, live).length >= limitsOf(slot, rules).max_slots
}

/** A revision of a slot by its number. */
export function revisionOf({ rows }: Slot, revision: number): RevisionRow | undefined {
  return rows.find((row) => row.revision === revision)
}

/** The revisions of slots. */
export function revisionsIn(slots: Iterable<Slot>): RevisionRow[] {
  return [...slots].flatMap(({ rows }) => rows)
}

/** The bytes of revisions. */
export function bytesOf(rows: Iterable<RevisionRow>): number {
  let bytes = 0
  for (const { size_bytes } of rows) bytes += size_bytes
  return bytes
}

import { newId } from '../../../platform/db/id.ts'
import { isServerSlot } from '../access.ts'
import type { RevisionRow } from '../row.ts'
import type { RecallForecast, RecallOutcome, UnawareWrite } from '../rpc.ts'
import { isDeleted, type Slot } from '../slots.ts'
import type { RecallReport } from './report.ts'
import type { Recall } from './row.ts'

/** What recalls come to for a slot. */
export interface SlotPlan {
  slot: Slot
  /** By the id of the recall. A recall that doesn't concern the slot is not there. */
  outcomes: Map<string, RecallOutcome>
  /** The revision whose content becomes current, when its content was written, and the last recall that went back. */
  back?: { source: RevisionRow; content_at: number; recall_id: string }
}

/**
 * What recalls, in the order of their numbers, come to for slots. Each begins where the one before would have left the slot, so that a
 * slot gets one revision, and goes back to nothing that an earlier recall took away. Slots that were changed last come last, so that
 * they keep their order in lists.
 */
export function planOf(
  slots: Iterable<Slot>,
  recalls: readonly Recall[],
  unaware?: UnawareWrite,
): SlotPlan[] {
  const byAge = [...slots].sort((one, other) => one.current.change_number - other.current.change_number)
  return byAge.flatMap((slot) => {
    const plan: SlotPlan = { slot, outcomes: new Map() }
    const contents = contentsOf(slot, unaware)
    for (const recall of recalls) {
      if (isDeleted(slot) || !concerns(recall, slot.current.slot)) continue
      const earlier = contents.findLastIndex((row) => writtenAt(row) < recall.from)
      if (!contents.slice(earlier + 1).some((row) => isOf(recall, row))) continue
      const source = contents[earlier]
      const last = contents.at(-1)
      const isNewer = last !== undefined && writtenAt(last) >= recall.until
      const stays = isNewer && !recall.reverts_newer ? 'kept' : source ? undefined : 'without_earlier'
      plan.outcomes.set(recall.id, stays ?? 'reverted')
      if (stays || !source) continue
      contents.push(source)
      plan.back = { source, content_at: writtenAt(source), recall_id: recall.id }
    }
    return plan.outcomes.size > 0 ? [plan] : []
  })
}

/** What a recall would come to for the slots that it concerns. */
export function forecastOf(recall_id: string, plans: readonly SlotPlan[]): RecallForecast['slots'] {
  return plans.flatMap(({ slot: { current }, outcomes, back }) => {
    const outcome = outcomes.get(recall_id)
    if (!outcome) return []
    const to_revision = outcome === 'reverted' ? (back?.source.revision ?? null) : null
    return { slot: current.slot, outcome, revision: current.revision, to_revision }
  })
}

/** A report of a recall; undefined when it concerns none of the slots. */
export function reportOf(recall_id: string, plans: readonly SlotPlan[]): RecallReport | undefined {
  const outcomes = plans.map(({ outcomes }) => outcomes.get(recall_id)).filter((one) => one !== undefined)
  if (outcomes.length === 0) return undefined
  const count = (of: (typeof outcomes)[0]) => outcomes.filter((one) => one === of).length
  return {
    id: newId(recall_id),
    recall_id,
    slots: count('reverted'),
    kept: count('kept'),
    without_earlier: count('without_earlier'),
  }
}

/** Whether the content of a revision was written in the time of a recall. */
export function isOf({ from, until }: Recall, row: RevisionRow): boolean {
  const time = writtenAt(row)
  return from <= time && time < until
}

/** When the content of a revision was written: what a recall has brought back is older than its revision. */
function writtenAt({ content_at, updated_at }: RevisionRow): number {
  return content_at ?? updated_at
}

function concerns({ slots }: Recall, slot: string): boolean {
  return slots === null ? !isServerSlot(slot) : slots.includes(slot)
}

/**
 * The revisions of a slot that were current, the oldest first. A write with a condition that was unaware of the recalls is not among
 * them: had its isolate known them, it would have been a conflict.
 */
function contentsOf({ rows, current }: Slot, unaware: UnawareWrite | undefined): RevisionRow[] {
  const isUnaware = (row: RevisionRow) =>
    row === current &&
    row.condition !== null &&
    row.slot === unaware?.slot &&
    row.revision === unaware.revision
  return rows
    .filter((row) => row.is_kept === 0 && !isUnaware(row))
    .sort((one, other) => one.revision - other.revision)
}

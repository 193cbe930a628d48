import { findNamedBack } from '../erasure/moderators.ts'
import { type ErasureNote, isUserBack, listErasures, repeatErasure } from '../erasure/repeat.ts'
import type { ComparedPage, Finding, ReconcileContext } from './page.ts'

/** How many erasures a page compares. */
const PAGE_SIZE = 50

/**
 * Compares the next erasures of the last 31 days with the databases. A repair erases a user who is back again, with the
 * `until` of the first erasure, so that later resources stay. The repair also removes erased users from blocks, the audit, moderation and others' mutes.
 */
export async function compareErasures(ctx: ReconcileContext): Promise<ComparedPage> {
  const { notes, next } = await listErasures(ctx, ctx.after, PAGE_SIZE)
  const found: Finding[] = []
  const named = await findNamedBack(ctx.databases, notes, ctx.isRepair)
  for (const note of notes)
    if ((await isBackAtHome(ctx, note)) || named.has(note.user_id)) found.push(findingOf(ctx, note))
  return { looked_at: notes.length, next, found }
}

/** Whether the user's home has rows of before the erasure, which a repair marks as erased. */
async function isBackAtHome(ctx: ReconcileContext, note: ErasureNote): Promise<boolean> {
  if (!ctx.isRepair) return isUserBack(ctx.databases, note)
  const isBack = await repeatErasure(ctx.databases, note)
  if (isBack) ctx.ended.push(['owner', note.user_id])
  return isBack
}

function findingOf({ isRepair }: ReconcileContext, { user_id, until }: ErasureNote): Finding {
  return {
    problem: 'erased_user_is_back',
    id: user_id,
    owner_id: user_id,
    detail: `was erased at ${new Date(until * 1_000).toISOString()}`,
    is_repaired: isRepair,
  }
}

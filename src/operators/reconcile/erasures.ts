import { eraseAgain, isLeft } from '../erasure/again.ts'
import { type ErasureNote, listErasures } from '../erasure/log.ts'
import { moderatorsBack } from '../erasure/moderators.ts'
import type { ComparedPage, Finding, ReconcileContext } from './page.ts'

/** How many erasures a page looks at. */
const NOTES = 50

/**
 * Compares the next erasures of the last 31 days with what the databases have. A user who is back is erased again, as of
 * then: what the same user made later stays. So is one who stands in blocks as the moderator.
 */
export async function compareErasures(ctx: ReconcileContext): Promise<ComparedPage> {
  const { notes, next } = await listErasures(ctx, ctx.after, NOTES)
  const found: Finding[] = []
  const moderators = await moderatorsBack(ctx.databases, notes, ctx.isRepair)
  for (const note of notes)
    if ((await isBack(ctx, note)) || moderators.has(note.user_id)) found.push(findingOf(ctx, note))
  return { looked_at: notes.length, next, found }
}

function isBack(ctx: ReconcileContext, note: ErasureNote): Promise<boolean> {
  return ctx.isRepair ? eraseAgain(ctx.databases, note) : isLeft(ctx.databases, note)
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

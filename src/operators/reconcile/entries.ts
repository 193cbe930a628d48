import { type Walked, walkAssets, walkEntries } from '../../features/catalogue/compare.ts'
import type { ComparedPage, ReconcileContext } from './page.ts'

/*
 * The comparison of the catalogue with the assets (docs/catalogue.md). A repair marks the assets, whose entries the job writes.
 */

/** Compares the next assets of the database with their entries. @throws UNAVAILABLE */
export async function compareListedAssets(ctx: ReconcileContext): Promise<ComparedPage> {
  return found(ctx, await walkAssets(ctx, ctx.database, stepOf(ctx)))
}

/** Compares the next entries with their assets, all of them in the turn of the first database. @throws UNAVAILABLE */
export async function compareEntries(ctx: ReconcileContext): Promise<ComparedPage> {
  if (ctx.database !== ctx.databases.first.name) return { looked_at: 0, next: null, found: [] }
  return found(ctx, await walkEntries(ctx, stepOf(ctx)))
}

function stepOf({ after, isRepair }: ReconcileContext) {
  return { after: after === '' ? null : after, marks: isRepair ? 'wrong' : 'none' } as const
}

function found({ isRepair }: ReconcileContext, { compared, wrong, next }: Walked): ComparedPage {
  return {
    looked_at: compared,
    next,
    found: wrong.map(({ id }) => ({ problem: 'entry_differs', id, is_repaired: isRepair })),
  }
}

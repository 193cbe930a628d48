import { type LaterContext, type RequestContext, seconds } from '../../platform/context.ts'
import type { Answers, Database, Named, WriteCondition } from '../../platform/db/database.ts'
import { MovedElsewhere, type Statement } from '../../platform/db/session.ts'
import { logError } from '../../platform/lib/log.ts'
import { removeEntry, writeEntries, writeEntryHere } from './entries.ts'
import { deleteMark, deleteMarks, type MarkedRow, markOf } from './marks.ts'

/** The parts of a request's context that a write of an asset uses. */
type WriteContext = Pick<RequestContext, 'databases' | 'now_ms' | 'afterwards'>

interface AssetWrite {
  /** The asset that the statements change or create. */
  asset_id: string
  /** The statement that marks the asset before it changes (`markShown`). Given for a change that may take it out of the catalogue. */
  removes?: Statement | undefined
  condition?: WriteCondition | undefined
}

/**
 * Writes a change of an asset in its home, and its entry in the catalogue (docs/catalogue.md). In one database both are one
 * batch. Otherwise an asset is taken out of the catalogue before it changes, so that a removal is in force with its answer or
 * refused, and what comes in is there with the answer, or shortly after if the catalogue does not answer.
 *
 * @throws UNAVAILABLE, and what the statements throw
 */
export async function writeAsset<Statements extends Named>(
  ctx: WriteContext,
  home: Database,
  statements: Statements,
  write: AssetWrite,
): Promise<Answers<Statements>> {
  const { asset_id, condition } = write
  const { catalogueName } = ctx.databases
  if (home.name !== catalogueName) return writeFar(ctx, home, statements, write)
  try {
    const along = [writeEntryHere({ asset_id, now: seconds(ctx) }), deleteMark({ asset_id })]
    const { answers } = await home.writeAlong(statements, along, { ...condition, only: catalogueName })
    return answers
  } catch (error) {
    if (error instanceof MovedElsewhere) return writeFar(ctx, home, statements, write)
    throw error
  }
}

/** Writes the change in the asset's home and the entry in the catalogue's database, each in a trip of its own. */
async function writeFar<Statements extends Named>(
  ctx: WriteContext,
  home: Database,
  statements: Statements,
  { asset_id, removes, condition }: AssetWrite,
): Promise<Answers<Statements>> {
  const { databases } = ctx
  const now = seconds(ctx)
  // The mark brings the asset back if the change does not happen.
  const { marked: shown } = removes ? await home.write({ marked: removes }) : { marked: [] }
  try {
    if (shown.length > 0) await databases.catalogue.send([removeEntry({ asset_id, now })])
    const {
      answers,
      along: [[marked]],
    } = await home.writeAlong(statements, [markOf({ asset_id })], condition)
    if (!marked) return answers
    try {
      await databases.catalogue.send([writeEntries([marked], now)])
      forgetLater(ctx, marked)
    } catch (error) {
      // What another request has put in meanwhile has to go, too.
      if (removes) throw error
      logError('the catalogue is written later', { error: String(error) })
      databases.marksIn.add(home.name)
    }
    return answers
  } catch (error) {
    // The asset may still be as it was: its mark brings it back.
    if (removes) databases.marksIn.add(home.name)
    throw error
  }
}

/** Deletes a mark whose entry has been written, after the answer: a mark that stays is applied once more, to no effect. */
function forgetLater(ctx: WriteContext, marked: MarkedRow): void {
  ctx.afterwards(async ({ databases }: LaterContext) => {
    await databases
      .of(marked.asset_id)
      .write(deleteMarks([marked]))
      .catch((error: unknown) => logError('a mark stays', { error: String(error) }))
  })
}

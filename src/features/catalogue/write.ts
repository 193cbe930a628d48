import { type SQL, sql } from 'drizzle-orm'
import { type LaterContext, type RequestContext, seconds } from '../../platform/context.ts'
import type { Answers, Database, Named, WriteCondition } from '../../platform/db/database.ts'
import { catalogueMarks } from '../../platform/db/schema.ts'
import { MovedElsewhere, type Statement } from '../../platform/db/session.ts'
import { insert, type Params, type Prepared, statement } from '../../platform/db/sql.ts'
import { logError } from '../../platform/lib/log.ts'
import { type AssetState, removeEntry, stateColumns, writeEntries, writeEntryHere } from './entries.ts'

/*
 * The marks of assets whose entries are to be written, in the databases of the assets. The trigger
 * `game_assets_after_update_mark` (migrations/0016_catalogue.sql) sets a mark when a change concerns the catalogue: without a mark,
 * `writeAsset` writes no entry.
 */

/** A mark, and the state of its asset in the same read. */
export type MarkedRow = AssetState & { mark: string }

/** The statement that reads the mark of an asset, if there is one. */
const markOf = statement(
  (
    p: Params<'asset_id'>,
  ) => sql<MarkedRow>`SELECT asset_id, mark, ${stateColumns} FROM catalogue_marks LEFT JOIN game_assets ON id = asset_id
    WHERE asset_id = ${p.asset_id}`,
)

/** The statement that deletes the mark of an asset in the batch that has written its entry. */
const deleteMark = statement(
  (p: Params<'asset_id'>) => sql`DELETE FROM catalogue_marks WHERE asset_id = ${p.asset_id}`,
)

const deleteUnchanged = statement(
  (p: Params<'marks'>) => sql<{ asset_id: string }>`DELETE FROM catalogue_marks WHERE (asset_id, mark) IN (
    SELECT value ->> 0, value ->> 1 FROM json_each(${p.marks})) RETURNING asset_id`,
)

/** The statement that deletes marks that have not been set again since they were read. */
export function deleteMarks(marks: readonly MarkedRow[]): Prepared<{ asset_id: string }> {
  return deleteUnchanged({ marks: JSON.stringify(marks.map(({ asset_id, mark }) => [asset_id, mark])) })
}

/** The statement that marks assets, present or not. `ids` is a SELECT of `asset_id`. */
export function markAssets(ids: SQL): SQL<{ asset_id: string }> {
  const mark = { asset_id: sql`asset_id`, mark: sql`hex(randomblob(8))` }
  return sql`${insert(catalogueMarks, mark, sql`FROM (${ids}) WHERE true`)}
    ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark RETURNING asset_id`
}

/**
 * SQL: marks an asset before a change that may take it out of the catalogue. `canChange`: whether the change applies to a row of
 * `game_assets` with this id.
 */
export function markShown(id: string | SQL, canChange: SQL): SQL<{ asset_id: string }> {
  return markAssets(
    sql`SELECT id AS asset_id FROM game_assets WHERE id = ${id} AND is_in_catalogue = 1 AND ${canChange}`,
  )
}

/** The parts of a request's context that a write of an asset uses. */
type WriteContext = Pick<RequestContext, 'databases' | 'now_ms' | 'afterwards'>

interface AssetWrite {
  /** The asset that the statements change or create. */
  asset_id: string
  /** Marks the asset before a change that may take it out of the catalogue (`markShown`). */
  markFirst?: Statement | undefined
  condition?: WriteCondition | undefined
}

/**
 * Writes a change of an asset in its home, and its entry in the catalogue (docs/scaling.md#the-catalogue). In one database, both are
 * one batch. In two, an asset that leaves the catalogue is taken out before it changes: while the catalogue does not answer, the
 * change is refused. The entry of any other change is written after it, or from the asset's mark if the catalogue does not answer.
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
  { asset_id, markFirst, condition }: AssetWrite,
): Promise<Answers<Statements>> {
  const { databases } = ctx
  const now = seconds(ctx)
  // The mark brings the asset back if the change does not happen.
  const { marked: shown } = markFirst ? await home.write({ marked: markFirst }) : { marked: [] }
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
      // The change is stored, but another request may have put the entry back from the older state: the answer is UNAVAILABLE.
      if (markFirst) throw error
      logError('the catalogue is written later', { error: String(error) })
      databases.marksIn.add(home.name)
    }
    return answers
  } catch (error) {
    // The change may not have happened: then the mark brings the entry back.
    if (markFirst) databases.marksIn.add(home.name)
    throw error
  }
}

/** Deletes, after the answer, a mark whose entry has been written. A mark that stays is applied again without effect. */
function forgetLater(ctx: WriteContext, marked: MarkedRow): void {
  ctx.afterwards(async ({ databases }: LaterContext) => {
    await databases
      .of(marked.asset_id)
      .write(deleteMarks([marked]))
      .catch((error: unknown) => logError('a mark stays', { error: String(error) }))
  })
}

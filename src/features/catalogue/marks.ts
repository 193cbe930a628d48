import { type SQL, sql } from 'drizzle-orm'
import { catalogueMarks } from '../../platform/db/schema.ts'
import { insert, type Params, type Prepared, statement } from '../../platform/db/sql.ts'
import { type AssetState, stateColumns } from './entries.ts'

/*
 * The marks of assets whose entries are to be written, in the databases of the assets. Triggers of `game_assets` set most marks.
 */

/** A mark, and the state of its asset in the same read. */
export type MarkedRow = AssetState & { mark: string }

/** The statement that reads the mark of an asset, if there is one. */
export const markOf = statement(
  (
    p: Params<'asset_id'>,
  ) => sql<MarkedRow>`SELECT asset_id, mark, ${stateColumns} FROM catalogue_marks LEFT JOIN game_assets ON id = asset_id
    WHERE asset_id = ${p.asset_id}`,
)

/** The statement that deletes the mark of an asset in the batch that has written its entry. */
export const deleteMark = statement(
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
 * SQL: marks an asset before a change that may take it out of the catalogue. `canChange`: whether a row of `game_assets` with
 * this id is one that the change may change.
 */
export function markShown(id: string | SQL, canChange: SQL): SQL<{ asset_id: string }> {
  return markAssets(
    sql`SELECT id AS asset_id FROM game_assets WHERE id = ${id} AND is_in_catalogue = 1 AND ${canChange}`,
  )
}

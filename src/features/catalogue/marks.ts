import { type SQL, sql } from 'drizzle-orm'
import { catalogueMarks } from '../../platform/db/schema.ts'
import { insert, keptStatements, type Prepared } from '../../platform/db/sql.ts'
import { type AssetState, absentState, stateColumns } from './state.ts'

/*
 * The statements about marks, for the databases of the assets. Triggers of `game_assets` set most marks.
 */

/** A mark, and the state of its asset in the same read; `id` is null when the asset is purged. */
export type MarkedRow = { asset_id: string; mark: string } & (AssetState | { id: null })

/** A marked asset. */
export interface Marked {
  asset_id: string
  mark: string
  state: AssetState
}

const kept = keptStatements<MarkedRow>()

/** The statement that reads the mark of an asset, if there is one. */
export function markOf(asset_id: string): Prepared<MarkedRow> {
  return kept(
    'one',
    (
      slot,
    ) => sql`SELECT asset_id, mark, ${stateColumns} FROM catalogue_marks LEFT JOIN game_assets ON id = asset_id
      WHERE asset_id = ${slot('asset_id')}`,
    { asset_id },
  )
}

/** A row as a marked asset. */
export function markedOf(row: MarkedRow): Marked {
  const { asset_id, mark } = row
  if (row.id === null) return { asset_id, mark, state: absentState(asset_id) }
  const { asset_id: _, mark: __, ...state } = row
  return { asset_id, mark, state }
}

const keptWrites = keptStatements<{ asset_id: string }>()

/** The statement that deletes marks that have not been set again since they were read. */
export function deleteMarks(
  marks: readonly Pick<Marked, 'asset_id' | 'mark'>[],
): Prepared<{ asset_id: string }> {
  return keptWrites(
    'delete',
    (slot) => sql`DELETE FROM catalogue_marks WHERE (asset_id, mark) IN (
      SELECT value ->> 0, value ->> 1 FROM json_each(${slot('marks')})) RETURNING asset_id`,
    { marks: JSON.stringify(marks.map(({ asset_id, mark }) => [asset_id, mark])) },
  )
}

/** The statement that deletes the mark of an asset in the batch that has written its entry. */
export function deleteMark(asset_id: string): Prepared<{ asset_id: string }> {
  return keptWrites(
    'delete one',
    (slot) => sql`DELETE FROM catalogue_marks WHERE asset_id = ${slot('asset_id')}`,
    {
      asset_id,
    },
  )
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

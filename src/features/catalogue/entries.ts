import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { catalogueEntries } from '../../platform/db/schema.ts'
import {
  columnsOf,
  joined,
  type Params,
  type Prepared,
  type RowOf,
  statement,
  type Values,
} from '../../platform/db/sql.ts'
import { isNotErased } from '../../platform/db/watermark.ts'

/*
 * The state of an asset, which its own database knows, and the statements that write the asset's entry from it, for the database
 * that has the catalogue. Triggers keep the full-text tables of the sorts.
 */

const { number, popularity, facets, initials, chance, stop, removed_at, ...copied } =
  getTableColumns(catalogueEntries)

/** The columns that an entry has from its asset, which have the same names there. */
export const copiedColumns = copied

const { id, ...columns } = copied
type Columns = RowOf<typeof columns>

/** The state of an asset, from which its entry is written. All but the id is null when the asset is purged. */
export type AssetState = { asset_id: string } & { [Name in keyof Columns]: Columns[Name] | null } & {
  /** 1: the asset is in the catalogue. */
  is_shown: 0 | 1 | null
}

/** SQL: the columns of an AssetState of a row of `game_assets`, without `asset_id`. */
export const stateColumns = sql`${columnsOf(columns)}, is_in_catalogue = 1 AND ${isNotErased} AS is_shown`

/** The revision of an asset that is purged. No state is newer: its id never comes back. */
export const LAST_REVISION = Number.MAX_SAFE_INTEGER

/** SQL: the facets of a state, by which pages filter. */
const stateFacets = sql`' :' || type || coalesce((SELECT group_concat(' #' || value, '') FROM json_each(tags)), '') || ' @' || hex(owner_id) || ' '`

/** SQL: the beginnings of a name, for the search with one or two characters. */
const stateInitials = sql`'=' || hex(substr(search_name, 1, 1)) || ' =' || hex(substr(search_name, 1, 2))`

/** SQL: a text of a state; of one that is not shown, an empty one. */
function shown(text: SQL): SQL {
  return sql`iif(is_shown, ${text}, '')`
}

/** The columns of an entry, from the columns of a state at the time `now` (Unix seconds). */
function entryOf(now: SQL) {
  return {
    id: sql`asset_id`,
    revision: sql`coalesce(revision, ${LAST_REVISION})`,
    recounts: sql`coalesce(recounts, 0)`,
    owner_id: shown(sql`owner_id`),
    type: sql`coalesce(type, 'prop')`,
    name: shown(sql`name`),
    search_name: shown(sql`search_name`),
    tags: sql`iif(is_shown, tags, '[]')`,
    preview_key: sql`iif(is_shown, preview_key, NULL)`,
    preview_width: sql`iif(is_shown, preview_width, NULL)`,
    preview_height: sql`iif(is_shown, preview_height, NULL)`,
    current_version: sql`coalesce(current_version, 0)`,
    created_at: sql`coalesce(created_at, 0)`,
    published_at: sql`coalesce(published_at, created_at, 0)`,
    updated_at: sql`coalesce(updated_at, 0)`,
    favorites: sql`coalesce(favorites, 0)`,
    facets: shown(stateFacets),
    initials: shown(stateInitials),
    removed_at: sql`iif(is_shown, NULL, ${now})`,
  } satisfies Values<typeof catalogueEntries>
}

/**
 * SQL: writes the entries of assets from their states. A state that does not replace the entry, or says nothing new, writes
 * nothing. Of an asset that is not shown a row without its texts stays, so that no older state brings the asset back.
 */
function upsert(states: SQL, now: SQL, replaces = sql`true`): SQL {
  const entry = entryOf(now)
  const names = Object.keys(entry)
  const columns = sql.raw(names.join(', '))
  // What was removed keeps the time of its removal.
  const removed_at =
    'iif(excluded.removed_at IS NULL, NULL, coalesce(catalogue_entries.removed_at, excluded.removed_at))'
  const next = sql.raw(
    names.map((name) => (name === 'removed_at' ? removed_at : `excluded.${name}`)).join(', '),
  )
  const present = sql.raw(names.map((name) => `catalogue_entries.${name}`).join(', '))
  return sql`INSERT INTO catalogue_entries (${columns}) WITH state AS MATERIALIZED (${states})
      SELECT ${joined(Object.values(entry), ', ')} FROM state WHERE true
    ON CONFLICT (id) DO UPDATE SET (${columns}) = (${next})
      WHERE ${replaces} AND (${next}) IS NOT (${present})`
}

/**
 * The statement that writes the entry of an asset of this very database, if the asset is marked, at `now` (Unix seconds). Such a
 * state is the present one, whatever the entry has: the asset may have gone back in time.
 */
export const writeEntryHere = statement((p: Params<'asset_id' | 'now'>) =>
  upsert(
    sql`SELECT asset_id, ${stateColumns} FROM catalogue_marks CROSS JOIN game_assets ON id = asset_id
      WHERE asset_id = ${p.asset_id}`,
    p.now,
  ),
)

const writeStates = statement((p: Params<'states' | 'now'>) => {
  const names = ['asset_id', ...Object.keys(columns), 'is_shown']
  const values = sql.raw(names.map((name) => `value ->> '${name}' AS ${name}`).join(', '))
  const isNotOlder = sql`(excluded.revision, excluded.recounts) >= (catalogue_entries.revision, catalogue_entries.recounts)`
  return upsert(sql`SELECT ${values} FROM json_each(${p.states})`, p.now, isNotOlder)
})

/**
 * The statement that writes the entries of assets from states that were read in another database, at `now` (Unix seconds), unless
 * an entry has a newer state.
 */
export function writeEntries(states: readonly AssetState[], now: number): Prepared {
  return writeStates({ states: JSON.stringify(states), now })
}

/** The statement that takes an asset out of the catalogue before it changes: the mark of the asset brings it back if it does not. */
export const removeEntry = statement(
  (p: Params<'asset_id' | 'now'>) =>
    sql`UPDATE catalogue_entries SET owner_id = '', name = '', search_name = '', tags = '[]', preview_key = NULL,
        preview_width = NULL, preview_height = NULL, facets = '', initials = '', removed_at = ${p.now}
      WHERE id = ${p.asset_id} AND removed_at IS NULL`,
)

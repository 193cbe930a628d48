import { type SQL, sql } from 'drizzle-orm'
import type { catalogueEntries } from '../../platform/db/schema.ts'
import { joined, keptStatements, type Prepared, type Slot, type Values } from '../../platform/db/sql.ts'
import { type AssetState, stateColumns, stateNames } from './state.ts'

/*
 * The statements that write entries, for the database that has the catalogue. Triggers keep the full-text tables of the sorts.
 */

/** SQL: the facets of a state, by which pages filter. */
const facets = sql`' :' || type || coalesce((SELECT group_concat(' #' || value, '') FROM json_each(tags)), '') || ' @' || hex(owner_id) || ' '`

/** SQL: the beginnings of a name, for the search with one or two characters. */
const initials = sql`'=' || hex(substr(search_name, 1, 1)) || ' =' || hex(substr(search_name, 1, 2))`

/** SQL: a text of a state; of one that is not shown, an empty one. */
function shown(text: SQL): SQL {
  return sql`iif(is_shown, ${text}, '')`
}

/** The columns of an entry, from the columns of a state at the time `now` (Unix seconds). */
function entryOf(now: SQL) {
  return {
    id: sql`id`,
    revision: sql`revision`,
    recounts: sql`recounts`,
    owner_id: shown(sql`owner_id`),
    type: sql`type`,
    name: shown(sql`name`),
    search_name: shown(sql`search_name`),
    tags: sql`iif(is_shown, tags, '[]')`,
    preview_key: sql`iif(is_shown, preview_key, NULL)`,
    preview_width: sql`iif(is_shown, preview_width, NULL)`,
    preview_height: sql`iif(is_shown, preview_height, NULL)`,
    current_version: sql`current_version`,
    created_at: sql`created_at`,
    published_at: sql`coalesce(published_at, created_at)`,
    updated_at: sql`updated_at`,
    favorites: sql`favorites`,
    facets: shown(facets),
    initials: shown(initials),
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

/** SQL: whether a state is not older than the entry. */
const isNotOlder = sql`(excluded.revision, excluded.recounts) >= (catalogue_entries.revision, catalogue_entries.recounts)`

const kept = keptStatements()

/**
 * The statement that writes the entry of an asset of this very database, if the asset is marked, at `now` (Unix seconds). Such a
 * state is the present one, whatever the entry has: the asset may have gone back in time.
 */
export function writeEntryHere(asset_id: string, now: number): Prepared {
  return kept(
    'here',
    (slot) => {
      const marked = sql`FROM catalogue_marks CROSS JOIN game_assets ON id = asset_id WHERE asset_id = ${slot('asset_id')}`
      return upsert(sql`SELECT ${stateColumns} ${marked}`, slot('now'))
    },
    { asset_id, now },
  )
}

/** The statement that writes the entries of assets from states that were read in another database, at `now` (Unix seconds). */
export function writeEntries(states: readonly AssetState[], now: number): Prepared {
  return kept('from states', (slot) => upsert(fromJson(slot), slot('now'), isNotOlder), {
    states: JSON.stringify(states),
    now,
  })
}

/** SQL: the states in a JSON array. */
function fromJson(slot: Slot<'states' | 'now'>): SQL {
  const columns = sql.raw(stateNames.map((name) => `value ->> '${name}' AS ${name}`).join(', '))
  return sql`SELECT ${columns} FROM json_each(${slot('states')})`
}

/** The statement that takes an asset out of the catalogue before it changes: the mark of the asset brings it back if it does not. */
export function removeEntry(asset_id: string, now: number): Prepared {
  return kept(
    'removed',
    (
      slot,
    ) => sql`UPDATE catalogue_entries SET owner_id = '', name = '', search_name = '', tags = '[]', preview_key = NULL,
        preview_width = NULL, preview_height = NULL, facets = '', initials = '', removed_at = ${slot('now')}
      WHERE id = ${slot('asset_id')} AND removed_at IS NULL`,
    { asset_id, now },
  )
}

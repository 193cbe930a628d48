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
import { FOR, NOT_FOR_ALL } from './facets.ts'

/*
 * The state of an asset, as its own database has it, and the statements that write the asset's entry from that state in the
 * catalogue's database. Triggers keep the full-text tables of the sorts.
 */

const { number, popularity, facets, initials, chance, stop, removed_at, ...copied } =
  getTableColumns(catalogueEntries)

/** The columns that an entry copies from its asset, under the same names. */
export const copiedColumns = copied

const { id, ...columns } = copied
type Columns = RowOf<typeof columns>

/** The state of an asset, from which its entry is written. All but the id is null when the asset is purged. */
export type AssetState = { asset_id: string } & { [Name in keyof Columns]: Columns[Name] | null } & {
  /** 1: the asset is in the catalogue. */
  is_shown: 0 | 1 | null
  /** The facets of the platforms that its content is for; empty: of all. */
  platforms: string | null
}

/** SQL: the revision of a row of `game_assets` that others than the owner see. */
export const seenRevision = sql`revision - unseen_changes`

const { revision, current_version, ...unchanged } = columns

const [only, forOne] = [sql.raw(`' ${NOT_FOR_ALL} ${FOR}'`), sql.raw(`' ${FOR}'`)]

/** SQL: the facets of the platforms that the served version of a row of `game_assets` is for; null: all. */
const platforms = sql`(SELECT ${only} || served.platform || coalesce((SELECT group_concat(${forOne} || variant.platform, '')
    FROM asset_variants AS variant WHERE variant.asset_id = served.asset_id AND variant.version = served.version), '')
  FROM asset_versions AS served WHERE served.asset_id = game_assets.id AND served.version = served_version)`

/**
 * SQL: the columns of an AssetState of a row of `game_assets`, without `asset_id`. The catalogue has what others than the owner see
 * (src/features/assets/served.ts).
 */
export const stateColumns = sql`${seenRevision} AS revision, served_version AS current_version, ${columnsOf(unchanged)},
  is_in_catalogue = 1 AND ${isNotErased} AS is_shown, ${platforms} AS platforms`

/** The revision of a purged asset. No state is newer, because ids are never used again. */
export const LAST_REVISION = Number.MAX_SAFE_INTEGER

/** SQL: the facets of a state, by which pages filter. */
const stateFacets = sql`' :' || type || coalesce(' :' || rating, '') || coalesce(platforms, '') || coalesce((SELECT group_concat(' #' || value, '') FROM json_each(tags)), '') || ' @' || hex(owner_id) || ' '`

/** SQL: the beginnings of a name, for the search with one or two characters. */
const stateInitials = sql`'=' || hex(substr(search_name, 1, 1)) || ' =' || hex(substr(search_name, 1, 2))`

/** SQL: a text of a state; empty when the state is not shown. */
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
    rating: sql`iif(is_shown, rating, NULL)`,
    facets: shown(stateFacets),
    initials: shown(stateInitials),
    removed_at: sql`iif(is_shown, NULL, ${now})`,
  } satisfies Values<typeof catalogueEntries>
}

/**
 * SQL: writes the entries of assets from their states. A state that does not replace the entry, or equals it, writes nothing. An
 * asset that is not shown keeps a row without texts, so that no older state brings the asset back.
 */
function upsert(states: SQL, now: SQL, replaces = sql`true`): SQL {
  const entry = entryOf(now)
  const names = Object.keys(entry)
  const columns = sql.raw(names.join(', '))
  // A removed entry keeps the time of its removal.
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
 * The statement that writes the entry of a marked asset of the same database, at `now` (Unix seconds). The asset's state replaces
 * any entry, also one with a later state: the database may have been restored to an earlier time.
 */
export const writeEntryHere = statement((p: Params<'asset_id' | 'now'>) =>
  upsert(
    sql`SELECT asset_id, ${stateColumns} FROM catalogue_marks CROSS JOIN game_assets ON id = asset_id
      WHERE asset_id = ${p.asset_id}`,
    p.now,
  ),
)

const writeStates = statement((p: Params<'states' | 'now'>) => {
  const names = ['asset_id', ...Object.keys(columns), 'is_shown', 'platforms']
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

/**
 * The statement that removes an asset's entry before the asset changes. If the change fails, the asset's mark brings the entry
 * back.
 */
export const removeEntry = statement(
  (p: Params<'asset_id' | 'now'>) =>
    sql`UPDATE catalogue_entries SET owner_id = '', name = '', search_name = '', tags = '[]', preview_key = NULL,
        preview_width = NULL, preview_height = NULL, facets = '', initials = '', rating = NULL, removed_at = ${p.now}
      WHERE id = ${p.asset_id} AND removed_at IS NULL`,
)

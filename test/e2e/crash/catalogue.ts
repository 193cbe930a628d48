/* What must never be of the catalogue and of favorites, in SQL: looked for in what a killed server leaves on the disk. */

/** The assets whose entries have to be as they are, and what an entry shows of them. Others are marked, or of an erased owner. */
const assets = `SELECT id, json_array(revision, owner_id, type, name, search_name, tags, preview_key, preview_width, preview_height,
    current_version, created_at,
    coalesce(public_since, created_at), updated_at, favorites) AS shown FROM game_assets
  WHERE visibility = 'public' AND listed = 1 AND blocked = 0 AND deleted_at IS NULL AND id NOT IN (SELECT asset_id FROM catalogue_marks)
    AND owner_id NOT IN (SELECT user_id FROM erasures) AND owner_id NOT IN (SELECT owner_id FROM catalogue_hidden_owners)`

const entries = `SELECT id, json_array(revision, owner_id, type, name, search_name, tags, preview_key, preview_width, preview_height,
    current_version, created_at,
    published_at, updated_at, favorites) AS shown FROM catalogue_entries
  WHERE removed_at IS NULL AND id NOT IN (SELECT asset_id FROM catalogue_marks)
    AND owner_id NOT IN (SELECT user_id FROM erasures) AND owner_id NOT IN (SELECT owner_id FROM catalogue_hidden_owners)`

/** The full-text tables, and what their rowids begin with, in SQL over an entry. */
const positions = Object.entries({
  catalogue_by_published: 'published_at - 1577836800',
  catalogue_by_updated: 'updated_at - 1577836800',
  catalogue_by_popular: 'popularity',
  catalogue_names: 'published_at - 1577836800',
}).map(
  ([table, key]) => `SELECT '${table} ' || position AS text FROM (
    SELECT position FROM (SELECT rowid AS position FROM ${table}
      UNION ALL SELECT (${key} << 32) | number FROM catalogue_entries WHERE removed_at IS NULL)
    GROUP BY position HAVING count(*) <> 2)`,
)

/** By a sentence: each query finds those for which it is so. */
export const catalogueContradictions = {
  'an asset without its entry, and without a mark': `SELECT id || ' ' || shown AS text FROM (${assets} EXCEPT ${entries})`,
  'an entry that is not as its asset is, without a mark': `SELECT id || ' ' || shown AS text FROM (${entries} EXCEPT ${assets})`,
  'a position in a sort without an entry, or an entry without it': positions.join(' UNION ALL '),
  'a number of favorites that is not what a recount gives': `SELECT asset_id || ' ' || users AS text FROM (
      SELECT asset_id, users FROM favorite_counts EXCEPT SELECT asset_id, count(*) FROM favorites GROUP BY asset_id)
    UNION ALL SELECT asset_id FROM favorites WHERE asset_id NOT IN (SELECT asset_id FROM favorite_counts)`,
  'an asset with another number of favorites, which no recount will change': `SELECT id || ' ' || favorites AS text FROM game_assets
    WHERE id NOT IN (SELECT asset_id FROM favorite_recounts)
      AND favorites <> (SELECT count(*) FROM favorites WHERE favorites.asset_id = game_assets.id)`,
}

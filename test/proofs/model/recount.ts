/* Conditions that no row meets, in SQL: of the model's mirror, and of what a killed server leaves on the disk. */

/** Of a row of `usage`: a counter is not what a recount gives. */
export const isMiscounted = `(items, assets, open_uploads, ended_uploads, public_assets, versions, idempotency_keys,
    favorites, mutes, used_bytes, writable_keys, kept_bytes) IS NOT (
  (SELECT count(*) FROM files WHERE owner_id = user_id),
  (SELECT count(*) FROM game_assets WHERE owner_id = user_id),
  (SELECT count(*) FROM uploads WHERE owner_id = user_id AND state IN ('open', 'completing')),
  (SELECT count(*) FROM uploads WHERE owner_id = user_id AND state IN ('completed', 'failed')),
  (SELECT count(*) FROM game_assets WHERE owner_id = user_id AND visibility = 'public' AND deleted_at IS NULL),
  (SELECT count(*) FROM asset_versions JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = user_id),
  (SELECT count(*) FROM idempotency WHERE caller_id = user_id),
  (SELECT count(*) FROM favorites WHERE favorites.user_id = usage.user_id),
  (SELECT count(*) FROM mutes WHERE mutes.user_id = usage.user_id),
  (SELECT coalesce(sum(size_bytes), 0) FROM files WHERE owner_id = user_id AND processing_state = 'ready')
    + (SELECT coalesce(sum(size_bytes), 0) FROM uploads WHERE owner_id = user_id AND state IN ('open', 'completing'))
    + (SELECT coalesce(sum(preview_bytes), 0) FROM game_assets WHERE owner_id = user_id)
    + (SELECT coalesce(sum(size_bytes), 0) FROM (SELECT DISTINCT asset_id, object_key, asset_versions.size_bytes
      FROM asset_versions JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = user_id)),
  (SELECT count(*) FROM garbage WHERE owner_id = user_id),
  (SELECT coalesce(sum(garbage.kept_bytes), 0) FROM garbage WHERE kept_for = user_id))`

/**
 * Of a row of `game_assets`: it has other versions than those that were made, from 1 to `current_version`, without those that were
 * deleted alone. The current one is never deleted.
 */
export const hasOtherVersions = `(current_version - deleted_versions
    <> (SELECT count(*) FROM asset_versions WHERE asset_id = game_assets.id AND version <= current_version)
  OR current_version <> (SELECT coalesce(max(version), 0) FROM asset_versions WHERE asset_id = game_assets.id))`

/** Of a row of `garbage`: a record refers to its content. That of a version waits there while other partitions share it. */
export const isNeeded = `object_key IN (SELECT object_key FROM files)
  OR object_key IN (SELECT preview_key FROM game_assets) OR EXISTS (SELECT 1 FROM asset_versions AS version
  WHERE version.object_key = garbage.object_key
    AND (is_version = 0 OR deleting = 1 OR substr(garbage.object_key, 21, 3) = substr(asset_id, 21, 3)))`

/* Conditions that no row meets, in SQL: of the model's mirror, and of what a killed server leaves on the disk. */

const bytesOfFiles = (type: string) => `(SELECT coalesce(sum(size_bytes), 0) FROM files
  WHERE owner_id = user_id AND processing_state = 'ready' AND asset_type = '${type}')`

/** The contents of assets: of versions, whose platform is null here, and of variants. */
export const contentsOfAssets = `(SELECT asset_id, version, NULL AS platform, object_key, size_bytes FROM asset_versions
  UNION ALL SELECT asset_id, version, platform, object_key, size_bytes FROM asset_variants)`

/** The distinct contents of the assets of a row of `usage`, each with the newest version that has it. */
const contents = `(SELECT owner_id, type, content.size_bytes AS size_bytes, asset_id, object_key, max(version) AS version, platform
  FROM ${contentsOfAssets} AS content JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = user_id
  GROUP BY asset_id, object_key)`

const bytesOfAssets = (type: string) =>
  `(SELECT coalesce(sum(size_bytes), 0) FROM ${contents} WHERE type = '${type}')`

/** The parts of a row of `usage`, counted. */
export const parts = `json_object(${[
  ...['file', 'profile_pic', 'emote', 'chat_attachment'].map((type) => `'${type}', ${bytesOfFiles(type)}`),
  ...['world', 'avatar', 'prop'].map((type) => `'${type}', ${bytesOfAssets(type)}`),
  `'preview', (SELECT coalesce(sum(preview_bytes), 0) FROM game_assets WHERE owner_id = user_id)`,
].join(', ')})`

/** Of a row of `usage`: `large_versions` has others than the user's contents of 1 MiB and more. */
export const isUnlisted = `(SELECT json_group_array(row ORDER BY row) FROM (
    SELECT json_array(owner_id, size_bytes, asset_id, object_key, version, platform) AS row FROM ${contents} WHERE size_bytes >= 1048576))
  IS NOT (SELECT json_group_array(row ORDER BY row) FROM (
    SELECT json_array(owner_id, large.size_bytes, large.asset_id, large.object_key, large.version, large.platform) AS row
    FROM large_versions AS large JOIN asset_versions AS listed ON listed.id = version_id AND listed.version = large.version
    WHERE owner_id = user_id))`

/** Of a row of `usage`: a counter is not what a recount gives. */
export const isMiscounted = `(parts, items, assets, open_uploads, ended_uploads, public_assets, versions, idempotency_keys,
    favorites, mutes, used_bytes, writable_keys, kept_bytes) IS NOT (
  ${parts},
  (SELECT count(*) FROM files WHERE owner_id = user_id),
  (SELECT count(*) FROM game_assets WHERE owner_id = user_id),
  (SELECT count(*) FROM uploads WHERE owner_id = user_id AND state IN ('open', 'completing')),
  (SELECT count(*) FROM uploads WHERE owner_id = user_id AND state IN ('completed', 'failed')),
  (SELECT count(*) FROM game_assets WHERE owner_id = user_id AND visibility = 'public' AND deleted_at IS NULL),
  (SELECT count(*) FROM ${contentsOfAssets} JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = user_id),
  (SELECT count(*) FROM idempotency WHERE caller_id = user_id),
  (SELECT count(*) FROM favorites WHERE favorites.user_id = usage.user_id),
  (SELECT count(*) FROM mutes WHERE mutes.user_id = usage.user_id),
  (SELECT coalesce(sum(size_bytes), 0) FROM files WHERE owner_id = user_id AND processing_state = 'ready')
    + (SELECT coalesce(sum(size_bytes), 0) FROM uploads WHERE owner_id = user_id AND state IN ('open', 'completing'))
    + (SELECT coalesce(sum(preview_bytes), 0) FROM game_assets WHERE owner_id = user_id)
    + (SELECT coalesce(sum(size_bytes), 0) FROM (SELECT DISTINCT asset_id, object_key, content.size_bytes
      FROM ${contentsOfAssets} AS content JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = user_id)),
  (SELECT count(*) FROM garbage WHERE owner_id = user_id),
  (SELECT coalesce(sum(garbage.kept_bytes), 0) FROM garbage WHERE kept_for = user_id))
  OR ${isUnlisted}`

/**
 * Of a row of `game_assets`: it has other versions than those that were made, from 1 to `current_version`, without those that were
 * deleted alone. The current one is never deleted.
 */
export const hasOtherVersions = `(current_version - deleted_versions
    <> (SELECT count(*) FROM asset_versions WHERE asset_id = game_assets.id AND version <= current_version)
  OR current_version <> (SELECT coalesce(max(version), 0) FROM asset_versions WHERE asset_id = game_assets.id))`

/** Of a row of `garbage`: a record refers to its content. That of a version waits there while other partitions share it. */
export const isNeeded = `object_key IN (SELECT object_key FROM files)
  OR object_key IN (SELECT preview_key FROM game_assets) OR EXISTS (SELECT 1 FROM ${contentsOfAssets} AS version
  WHERE version.object_key = garbage.object_key
    AND (is_version = 0 OR deleting = 1 OR substr(garbage.object_key, 21, 3) = substr(asset_id, 21, 3)))`

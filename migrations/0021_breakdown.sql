-- What takes a user's storage (docs/quota.md#what-takes-my-storage).

-- The bytes of each kind of content, as a JSON object: `used_bytes` without those of open uploads. So open uploads have the rest, and
-- all parts together are `used_bytes`. The triggers that change `used_bytes` change it, in the same UPDATE.
-- Null: the row is older than the column, and the job has not counted it yet. `json_set` of null is null.
ALTER TABLE usage ADD COLUMN parts TEXT;

CREATE INDEX usage_without_parts ON usage (user_id) WHERE parts IS NULL;

-- What has at least 1 MiB, the largest last. Of files an index.
CREATE INDEX files_large ON files (owner_id, size_bytes, id)
  WHERE processing_state = 'ready' AND size_bytes >= 1048576 AND purging = 0;

-- Of versions a table, because a version does not name its owner: a row for each content of an asset, with the newest version that
-- has it. Triggers keep it. The job adds the versions that are older than the table, with `usage.parts`.
CREATE TABLE large_versions (
  owner_id TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  asset_id TEXT NOT NULL,
  object_key TEXT NOT NULL,
  version INTEGER NOT NULL,
  version_id TEXT NOT NULL,
  PRIMARY KEY (owner_id, size_bytes, asset_id, object_key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER asset_versions_after_insert_list_large AFTER INSERT ON asset_versions WHEN NEW.size_bytes >= 1048576 BEGIN
  INSERT INTO large_versions (owner_id, size_bytes, asset_id, object_key, version, version_id)
    SELECT owner_id, NEW.size_bytes, NEW.asset_id, NEW.object_key, NEW.version, NEW.id FROM game_assets WHERE id = NEW.asset_id
    ON CONFLICT (owner_id, size_bytes, asset_id, object_key) DO UPDATE SET version = excluded.version,
      version_id = excluded.version_id WHERE excluded.version > version;
END;

CREATE TRIGGER asset_versions_after_delete_list_large AFTER DELETE ON asset_versions WHEN OLD.size_bytes >= 1048576 BEGIN
  DELETE FROM large_versions
  WHERE owner_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id) AND size_bytes = OLD.size_bytes
    AND asset_id = OLD.asset_id AND object_key = OLD.object_key AND version = OLD.version;
  INSERT INTO large_versions (owner_id, size_bytes, asset_id, object_key, version, version_id)
    SELECT owner_id, size_bytes, asset_id, object_key, version, version_id FROM (
      SELECT (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id) AS owner_id, size_bytes, asset_id, object_key, version,
        id AS version_id
      FROM asset_versions WHERE object_key = OLD.object_key AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3)
        AND asset_id = OLD.asset_id
      ORDER BY version DESC LIMIT 1)
    WHERE true ON CONFLICT (owner_id, size_bytes, asset_id, object_key) DO NOTHING;
END;

-- The triggers of 0002_files.sql and 0005_assets.sql that change `used_bytes`, with `parts`. A folder has no bytes and no part.

DROP TRIGGER files_after_insert_charge;
DROP TRIGGER files_after_update_charge;
DROP TRIGGER files_after_delete_release;
DROP TRIGGER game_assets_after_update_charge_preview;
DROP TRIGGER game_assets_after_delete_release_preview;
DROP TRIGGER asset_versions_after_insert_charge;
DROP TRIGGER asset_versions_after_delete_release;

CREATE TRIGGER files_after_insert_charge AFTER INSERT ON files BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET items = items + 1, used_bytes = used_bytes + NEW.charged_bytes,
    parts = iif(NEW.charged_bytes = 0, parts,
      json_set(parts, '$.' || NEW.asset_type, (parts ->> NEW.asset_type) + NEW.charged_bytes))
  WHERE user_id = NEW.owner_id AND moving = 0;
END;

CREATE TRIGGER files_after_update_charge AFTER UPDATE OF size_bytes, processing_state, object_key ON files
WHEN NEW.object_key IS NOT OLD.object_key OR NEW.charged_bytes <> OLD.charged_bytes
BEGIN
  UPDATE usage SET used_bytes = used_bytes + NEW.charged_bytes - OLD.charged_bytes
    - iif(NEW.object_key IS NOT OLD.object_key,
        coalesce((SELECT size_bytes FROM uploads
          WHERE id = NEW.object_key AND file_id = NEW.id AND state = 'completed'), 0), 0),
    parts = json_set(parts, '$.' || NEW.asset_type, (parts ->> NEW.asset_type) + NEW.charged_bytes - OLD.charged_bytes)
  WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER files_after_delete_release AFTER DELETE ON files BEGIN
  UPDATE usage SET items = items - 1, used_bytes = used_bytes - OLD.charged_bytes,
    parts = iif(OLD.charged_bytes = 0, parts,
      json_set(parts, '$.' || OLD.asset_type, (parts ->> OLD.asset_type) - OLD.charged_bytes))
  WHERE user_id = OLD.owner_id AND moving = 0;
END;

CREATE TRIGGER game_assets_after_update_charge_preview AFTER UPDATE OF preview_key ON game_assets
WHEN NEW.preview_key IS NOT OLD.preview_key BEGIN
  UPDATE usage SET used_bytes = used_bytes + NEW.preview_bytes - OLD.preview_bytes,
    parts = json_set(parts, '$.preview', (parts ->> 'preview') + NEW.preview_bytes - OLD.preview_bytes)
  WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER game_assets_after_delete_release_preview AFTER DELETE ON game_assets
WHEN OLD.preview_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = OLD.owner_id AND moving = 1) BEGIN
  UPDATE usage SET used_bytes = used_bytes - OLD.preview_bytes,
    parts = json_set(parts, '$.preview', (parts ->> 'preview') - OLD.preview_bytes)
  WHERE user_id = OLD.owner_id;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for, kept_bytes)
    SELECT OLD.preview_key, 0, max(coalesce(OLD.deleted_at / 1000, unixepoch()), OLD.created_at),
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, OLD.owner_id), OLD.preview_bytes
    FROM (SELECT iif(OLD.created_at > coalesce((SELECT until FROM erasures WHERE user_id = OLD.owner_id), -1),
      OLD.kept_until, NULL) AS kept)
    WHERE true ON CONFLICT (object_key) DO NOTHING;
END;

-- The charge of a version is an upsert, which reads the asset once, for its owner and its type. The owner's row is there, so nothing is
-- inserted: `parts` of that row carries the type, `used_bytes` the bytes of the content, and `moving` keeps the fence from looking.
CREATE TRIGGER asset_versions_after_insert_charge AFTER INSERT ON asset_versions BEGIN
  UPDATE game_assets SET current_version = NEW.version, updated_at = NEW.created_at, revision = revision + 1
  WHERE id = NEW.asset_id AND current_version < NEW.version;
  INSERT INTO usage (user_id, parts, used_bytes, moving, partition, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
    max_open_uploads, max_ended_uploads, max_idempotency_keys)
    SELECT owner_id, type, iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = NEW.object_key
        AND substr(asset_id, 21, 3) = substr(NEW.asset_id, 21, 3) AND asset_id = NEW.asset_id AND version < NEW.version),
        0, NEW.size_bytes), 1, '', 0, 0, 0, 0, 0, 0, 0, 0
    FROM game_assets WHERE id = NEW.asset_id
    ON CONFLICT (user_id) DO UPDATE SET versions = versions + 1, used_bytes = used_bytes + excluded.used_bytes
        - coalesce((SELECT size_bytes FROM uploads
          WHERE id = NEW.object_key AND completion_id = NEW.id AND state = 'completed'), 0),
      parts = json_set(parts, '$.' || excluded.parts, (parts ->> excluded.parts) + excluded.used_bytes)
    WHERE moving = 0;
  -- A version of the content's own partition keeps the content: it waits no longer.
  DELETE FROM garbage
  WHERE object_key = NEW.object_key AND substr(NEW.object_key, 21, 3) = substr(NEW.asset_id, 21, 3);
END;

CREATE TRIGGER asset_versions_after_delete_release AFTER DELETE ON asset_versions BEGIN
  INSERT INTO usage (user_id, parts, used_bytes, moving, partition, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
    max_open_uploads, max_ended_uploads, max_idempotency_keys)
    SELECT owner_id, type, iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id), 0, OLD.size_bytes), 1, '', 0, 0, 0, 0, 0, 0, 0, 0
    FROM game_assets WHERE id = OLD.asset_id
    ON CONFLICT (user_id) DO UPDATE SET versions = versions - 1, used_bytes = used_bytes - excluded.used_bytes,
      parts = json_set(parts, '$.' || excluded.parts, (parts ->> excluded.parts) - excluded.used_bytes)
    WHERE moving = 0;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, is_version, next_at, kept_until, kept_for, kept_bytes)
    SELECT OLD.object_key, coalesce((SELECT expires_at FROM uploads WHERE id = OLD.object_key), 0), since, 1,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id), OLD.size_bytes
    FROM (SELECT owner_id, max(coalesce(deleted_at / 1000, unixepoch()), created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id
        AND (purging = 1 OR (SELECT moving FROM usage WHERE user_id = owner_id) IS NOT 1))
    WHERE substr(OLD.object_key, 21, 3) = substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_versions
        WHERE object_key = OLD.object_key AND substr(asset_id, 21, 3) = substr(OLD.object_key, 21, 3))
    ON CONFLICT (object_key) DO NOTHING;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for, kept_bytes)
    SELECT 'refs/' || OLD.object_key || '/' || OLD.asset_id, 0, since,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id), OLD.size_bytes
    FROM (SELECT owner_id, max(coalesce(deleted_at / 1000, unixepoch()), created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id
        AND (purging = 1 OR (SELECT moving FROM usage WHERE user_id = owner_id) IS NOT 1))
    WHERE substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id)
    ON CONFLICT (object_key) DO NOTHING;
  UPDATE garbage SET next_at = coalesce(kept_until, 0)
  WHERE object_key = OLD.object_key AND substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3) AND is_version = 1
    AND NOT EXISTS (SELECT 1 FROM partitions WHERE partition = substr(OLD.object_key, 21, 3) AND state <> 'open');
END;

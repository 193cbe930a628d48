-- Channels and builds (docs/conformance.md#releases): what players get, and what testers do.

-- What others than the owner get (src/features/assets/served.ts). Triggers of `asset_channels` keep `live_version`.
ALTER TABLE game_assets ADD COLUMN live_version INTEGER; -- null: there is no channel `live`
ALTER TABLE game_assets ADD COLUMN served_version INTEGER NOT NULL
  GENERATED ALWAYS AS (coalesce(live_version, current_version)) VIRTUAL;
-- How many of the revisions are changes that others did not see. Never falls. The revision of others is the rest.
ALTER TABLE game_assets ADD COLUMN unseen_changes INTEGER NOT NULL DEFAULT 0;
-- The time of the last change that others did not see. `updated_at` is that of the last one that they did.
ALTER TABLE game_assets ADD COLUMN unseen_updated_at INTEGER;
-- The highest version that others have been served, as of the last change of `live`. Going back and forth below it does not raise
-- `updated_at`: nobody stays among the last updated by that.
ALTER TABLE game_assets ADD COLUMN released_version INTEGER NOT NULL DEFAULT 0;

-- The builds of the game that can read the version; null: no bound.
ALTER TABLE asset_versions ADD COLUMN min_build INTEGER;
ALTER TABLE asset_versions ADD COLUMN max_build INTEGER;
ALTER TABLE uploads ADD COLUMN min_build INTEGER;
ALTER TABLE uploads ADD COLUMN max_build INTEGER;

CREATE TABLE asset_channels (
  asset_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  version INTEGER NOT NULL,
  key TEXT CHECK ((key IS NULL) = (channel = 'live')), -- what testers name; everybody gets `live`
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, channel)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER asset_channels_before_insert_limit BEFORE INSERT ON asset_channels
WHEN (SELECT count(*) FROM asset_channels WHERE asset_id = NEW.asset_id AND channel <> NEW.channel) >= 10
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:channels'); END;

-- A change of `live` is one that others see, and a change of another channel one that they do not.
CREATE TRIGGER asset_channels_after_insert_serve AFTER INSERT ON asset_channels BEGIN
  UPDATE game_assets SET revision = revision + 1, unseen_changes = unseen_changes + (NEW.channel <> 'live'),
    unseen_updated_at = NEW.updated_at, live_version = iif(NEW.channel = 'live', NEW.version, live_version),
    released_version = iif(NEW.channel = 'live', max(released_version, current_version), released_version)
  WHERE id = NEW.asset_id AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = owner_id AND moving = 1);
END;

CREATE TRIGGER asset_channels_after_update_serve AFTER UPDATE OF version ON asset_channels BEGIN
  UPDATE game_assets SET revision = revision + 1, unseen_changes = unseen_changes + (NEW.channel <> 'live'),
    unseen_updated_at = NEW.updated_at, live_version = iif(NEW.channel = 'live', NEW.version, live_version),
    updated_at = iif(NEW.channel = 'live' AND NEW.version > released_version, NEW.updated_at, updated_at),
    released_version = iif(NEW.channel = 'live', max(released_version, NEW.version), released_version)
  WHERE id = NEW.asset_id;
END;

-- The batch that deletes a channel sets its `updated_at` before.
CREATE TRIGGER asset_channels_after_delete_serve AFTER DELETE ON asset_channels BEGIN
  UPDATE game_assets SET revision = revision + 1, unseen_changes = unseen_changes + (OLD.channel <> 'live'),
    unseen_updated_at = OLD.updated_at, live_version = iif(OLD.channel = 'live', NULL, live_version),
    updated_at = iif(OLD.channel = 'live' AND current_version > released_version, OLD.updated_at, updated_at),
    released_version = iif(OLD.channel = 'live', max(released_version, current_version), released_version)
  WHERE id = OLD.asset_id AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = owner_id AND moving = 1);
END;

CREATE TRIGGER game_assets_after_delete_channels AFTER DELETE ON game_assets
WHEN EXISTS (SELECT 1 FROM asset_channels WHERE asset_id = OLD.id) BEGIN
  DELETE FROM asset_channels WHERE asset_id = OLD.id;
END;

CREATE TRIGGER asset_versions_before_delete_check_channels BEFORE DELETE ON asset_versions
WHEN EXISTS (SELECT 1 FROM asset_channels WHERE asset_id = OLD.asset_id AND version = OLD.version)
  AND EXISTS (SELECT 1 FROM game_assets WHERE id = OLD.asset_id AND purging = 0
    AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = owner_id AND moving = 1))
BEGIN SELECT RAISE(ABORT, 'refused:VERSION_IS_CURRENT'); END;

-- The triggers of 0005_assets.sql, 0020_safety.sql and 0021_breakdown.sql that channels and builds concern.

DROP TRIGGER asset_versions_before_update_refuse;
DROP TRIGGER asset_versions_after_insert_charge;
DROP TRIGGER game_assets_after_update_mark;

-- The notes and the builds of a version may change.
CREATE TRIGGER asset_versions_before_update_refuse BEFORE UPDATE OF asset_id, version, id, size_bytes, mime_type, object_key,
  checksum_sha256, branched_from_asset_id, branched_from_version, created_at ON asset_versions
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a version never changes'); END;

-- While there is a channel `live`, others do not see a new version.
CREATE TRIGGER asset_versions_after_insert_charge AFTER INSERT ON asset_versions BEGIN
  UPDATE game_assets SET current_version = NEW.version, revision = revision + 1,
    updated_at = iif(live_version IS NULL, NEW.created_at, updated_at),
    unseen_changes = unseen_changes + (live_version IS NOT NULL),
    unseen_updated_at = iif(live_version IS NULL, unseen_updated_at, NEW.created_at)
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

-- A change that others do not see writes no entry.
CREATE TRIGGER game_assets_after_update_mark AFTER UPDATE ON game_assets
WHEN (OLD.is_in_catalogue = 1 OR NEW.is_in_catalogue = 1)
  AND (NEW.is_in_catalogue, NEW.revision - NEW.unseen_changes, NEW.favorites, NEW.name, NEW.updated_at)
    IS NOT (OLD.is_in_catalogue, OLD.revision - OLD.unseen_changes, OLD.favorites, OLD.name, OLD.updated_at) BEGIN
  INSERT INTO catalogue_marks (asset_id, mark) VALUES (NEW.id, hex(randomblob(8)))
    ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark;
END;

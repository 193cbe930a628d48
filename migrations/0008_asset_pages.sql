-- The page of an asset (docs/asset-pages.md): what the triggers here and in 0009_catalogue.sql read of it, and versions that are
-- deleted alone. No ALTER TABLE writes a row, but each reads the whole table with its indexes, because the table is STRICT. So the
-- other columns are in 0013_asset_texts.sql and 0014_asset_counts.sql: a million assets take half of D1's 30 seconds in no file.

ALTER TABLE game_assets ADD COLUMN listed INTEGER NOT NULL DEFAULT 1; -- 0: out of the catalogue, even while it is public
-- The preview in R2. Its bytes count in the owner's quota.
ALTER TABLE game_assets ADD COLUMN preview_key TEXT;
ALTER TABLE game_assets ADD COLUMN preview_bytes INTEGER NOT NULL DEFAULT 0;
-- How many users have it among their favorites, as of the last recount.
ALTER TABLE game_assets ADD COLUMN favorites INTEGER NOT NULL DEFAULT 0;
-- Rises with each change that its owner sees, except that of `favorites`. Statements raise it themselves.
ALTER TABLE game_assets ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
-- Whether the catalogue shows it, unless its owner has been erased.
ALTER TABLE game_assets ADD COLUMN is_in_catalogue INTEGER NOT NULL
  GENERATED ALWAYS AS (visibility = 'public' AND blocked = 0 AND deleted_at IS NULL AND listed = 1) VIRTUAL;

-- An asset's branches for everybody, and each user's others. They take the place of `branches_listed` and `branches_unlisted`,
-- which version 0.2.0 reads: the release after this one drops those.
CREATE INDEX branches_in_catalogue ON game_assets (branched_from_asset_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_in_catalogue = 1;
CREATE INDEX branches_elsewhere ON game_assets (branched_from_asset_id, owner_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_in_catalogue = 0 AND deleted_at IS NULL;

-- The bytes of a preview are charged with the change that sets it, and released when it goes.
CREATE TRIGGER game_assets_after_update_charge_preview AFTER UPDATE OF preview_key ON game_assets
WHEN NEW.preview_key IS NOT OLD.preview_key BEGIN
  UPDATE usage SET used_bytes = used_bytes + NEW.preview_bytes - OLD.preview_bytes WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER game_assets_before_update_refuse_garbage BEFORE UPDATE OF preview_key ON game_assets
WHEN NEW.preview_key IS NOT NULL AND EXISTS (SELECT 1 FROM garbage WHERE object_key = NEW.preview_key)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:that content is queued for deletion'); END;

-- The preview of a purged asset stays as long as the content of its versions does (asset_versions_after_delete_release).
CREATE TRIGGER game_assets_after_delete_release_preview AFTER DELETE ON game_assets
WHEN OLD.preview_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = OLD.owner_id AND moving = 1) BEGIN
  UPDATE usage SET used_bytes = used_bytes - OLD.preview_bytes WHERE user_id = OLD.owner_id;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for)
    SELECT OLD.preview_key, 0, max(coalesce(OLD.deleted_at / 1000, unixepoch()), OLD.created_at),
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, OLD.owner_id)
    FROM (SELECT iif(OLD.created_at > coalesce((SELECT until FROM erasures WHERE user_id = OLD.owner_id), -1),
      OLD.kept_until, NULL) AS kept)
    WHERE true ON CONFLICT (object_key) DO NOTHING;
END;

-- As in 0002_triggers.sql, and a new version is a new revision of its asset.
DROP TRIGGER asset_versions_after_insert_charge;

CREATE TRIGGER asset_versions_after_insert_charge AFTER INSERT ON asset_versions BEGIN
  UPDATE game_assets SET current_version = NEW.version, updated_at = NEW.created_at, revision = revision + 1
  WHERE id = NEW.asset_id AND current_version < NEW.version;
  UPDATE usage SET versions = versions + 1, used_bytes = used_bytes
    + iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = NEW.object_key
        AND substr(asset_id, 21, 3) = substr(NEW.asset_id, 21, 3) AND asset_id = NEW.asset_id AND version < NEW.version),
        0, NEW.size_bytes)
    - coalesce((SELECT size_bytes FROM uploads
        WHERE id = NEW.object_key AND completion_id = NEW.id AND state = 'completed'), 0)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = NEW.asset_id) AND moving = 0;
  -- A version of the content's own partition keeps the content: it waits no longer.
  DELETE FROM garbage
  WHERE object_key = NEW.object_key AND substr(NEW.object_key, 21, 3) = substr(NEW.asset_id, 21, 3);
END;

-- Versions go with their asset, or alone: any but the current one.
DROP TRIGGER asset_versions_before_delete_check_purging;

CREATE TRIGGER asset_versions_before_delete_check_current BEFORE DELETE ON asset_versions
WHEN NOT EXISTS (SELECT 1 FROM game_assets WHERE id = OLD.asset_id AND (purging = 1 OR current_version <> OLD.version))
  AND NOT EXISTS (SELECT 1 FROM game_assets JOIN usage ON user_id = owner_id WHERE id = OLD.asset_id AND moving = 1)
BEGIN SELECT RAISE(ABORT, 'refused:VERSION_IS_CURRENT'); END;

-- As in 0002_triggers.sql, and for a version that is deleted alone, too: the batch that deletes it sets `kept_until` of the asset
-- before and takes it back afterwards. The mover's deletions still queue nothing.
DROP TRIGGER asset_versions_after_delete_release;

CREATE TRIGGER asset_versions_after_delete_release AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET versions = versions - 1, used_bytes = used_bytes
    - iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id), 0, OLD.size_bytes)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id) AND moving = 0;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, is_version, next_at, kept_until, kept_for)
    SELECT OLD.object_key, coalesce((SELECT expires_at FROM uploads WHERE id = OLD.object_key), 0), since, 1,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id)
    FROM (SELECT owner_id, max(coalesce(deleted_at / 1000, unixepoch()), created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id
        AND (purging = 1 OR (SELECT moving FROM usage WHERE user_id = owner_id) IS NOT 1))
    WHERE substr(OLD.object_key, 21, 3) = substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_versions
        WHERE object_key = OLD.object_key AND substr(asset_id, 21, 3) = substr(OLD.object_key, 21, 3))
    ON CONFLICT (object_key) DO NOTHING;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for)
    SELECT 'refs/' || OLD.object_key || '/' || OLD.asset_id, 0, since,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id)
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

-- How many bytes of a user's content wait out their grace (CONTENT_GRACE_DAYS), and a limit for them: as many as the quota. Otherwise
-- a user who replaces content again and again fills the bucket without a bound.
ALTER TABLE garbage ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0; -- of content; counted while `kept_for` is set
ALTER TABLE garbage ADD COLUMN free_at INTEGER NOT NULL DEFAULT 0; -- when the job would delete it without grace

ALTER TABLE usage ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;

-- Content beyond the limit has no grace. Each row of a statement is judged by itself, so a purge of many files keeps what fits.
CREATE TRIGGER garbage_after_insert_keep AFTER INSERT ON garbage WHEN NEW.kept_for IS NOT NULL AND NEW.kept_bytes > 0 BEGIN
  UPDATE usage SET kept_bytes = kept_bytes + NEW.kept_bytes WHERE user_id = NEW.kept_for AND moving = 0;
  UPDATE garbage SET kept_until = NULL, kept_for = NULL, next_at = NEW.free_at
  WHERE object_key = NEW.object_key AND EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.kept_for AND moving = 0
    AND kept_bytes > coalesce(limit_bytes, default_limit_bytes));
END;

CREATE TRIGGER garbage_after_update_release_kept AFTER UPDATE OF kept_for ON garbage
WHEN OLD.kept_for IS NOT NULL AND NEW.kept_for IS NULL AND OLD.kept_bytes > 0
BEGIN UPDATE usage SET kept_bytes = kept_bytes - OLD.kept_bytes WHERE user_id = OLD.kept_for AND moving = 0; END;

CREATE TRIGGER garbage_after_delete_release_kept AFTER DELETE ON garbage WHEN OLD.kept_for IS NOT NULL AND OLD.kept_bytes > 0
BEGIN UPDATE usage SET kept_bytes = kept_bytes - OLD.kept_bytes WHERE user_id = OLD.kept_for AND moving = 0; END;

-- As in 0008_asset_pages.sql, with the bytes.
DROP TRIGGER game_assets_after_delete_release_preview;

CREATE TRIGGER game_assets_after_delete_release_preview AFTER DELETE ON game_assets
WHEN OLD.preview_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = OLD.owner_id AND moving = 1) BEGIN
  UPDATE usage SET used_bytes = used_bytes - OLD.preview_bytes WHERE user_id = OLD.owner_id;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for, kept_bytes)
    SELECT OLD.preview_key, 0, max(coalesce(OLD.deleted_at / 1000, unixepoch()), OLD.created_at),
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, OLD.owner_id), OLD.preview_bytes
    FROM (SELECT iif(OLD.created_at > coalesce((SELECT until FROM erasures WHERE user_id = OLD.owner_id), -1),
      OLD.kept_until, NULL) AS kept)
    WHERE true ON CONFLICT (object_key) DO NOTHING;
END;

DROP TRIGGER asset_versions_after_delete_release;

CREATE TRIGGER asset_versions_after_delete_release AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET versions = versions - 1, used_bytes = used_bytes
    - iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id), 0, OLD.size_bytes)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id) AND moving = 0;
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

-- Going back in time (docs/going-back.md): the objects of purged content stay for a while (CONTENT_GRACE_DAYS), so that a
-- database which is restored to before the purge finds them. Without grace the new columns stay null.

-- Content that stays: until when, and whose it was. The erasure of that user ends it.
ALTER TABLE garbage ADD COLUMN kept_until INTEGER;
ALTER TABLE garbage ADD COLUMN kept_for TEXT;

CREATE INDEX garbage_kept ON garbage (kept_for) WHERE kept_for IS NOT NULL;

-- Of an asset that is being purged: until when its content stays. Null: it goes at once.
ALTER TABLE game_assets ADD COLUMN kept_until INTEGER;

-- As in 0008_faster_moves.sql, but the content of an asset stays as long as its row says, unless its owner was erased. So
-- does the marker of another partition's content, which stays with it: its row here says so with one database, too. Content
-- that is looked at again stays for its own time all the same.
DROP TRIGGER asset_versions_after_delete_release;
CREATE TRIGGER asset_versions_after_delete_release AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET versions = versions - 1, used_bytes = used_bytes
    - iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id), 0, OLD.size_bytes)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id) AND moving = 0;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, is_version, next_at, kept_until, kept_for)
    SELECT OLD.object_key, coalesce((SELECT expires_at FROM uploads WHERE id = OLD.object_key), 0), since, 1,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id)
    FROM (SELECT owner_id, max(deleted_at / 1000, created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id AND purging = 1)
    WHERE substr(OLD.object_key, 21, 3) = substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_versions
        WHERE object_key = OLD.object_key AND substr(asset_id, 21, 3) = substr(OLD.object_key, 21, 3))
    ON CONFLICT (object_key) DO NOTHING;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for)
    SELECT 'refs/' || OLD.object_key || '/' || OLD.asset_id, 0, since,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id)
    FROM (SELECT owner_id, max(deleted_at / 1000, created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id AND purging = 1)
    WHERE substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3)
      AND (kept IS NOT NULL OR EXISTS (SELECT 1 FROM progress WHERE task = 'marker_walk'))
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id)
    ON CONFLICT (object_key) DO NOTHING;
  UPDATE garbage SET next_at = coalesce(kept_until, 0)
  WHERE object_key = OLD.object_key AND substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3) AND is_version = 1
    AND NOT EXISTS (SELECT 1 FROM partitions WHERE partition = substr(OLD.object_key, 21, 3) AND state <> 'open');
END;

-- The limits, as in 0002_triggers.sql, but not while the counters of a user are being set: by the mover, or to what a recount
-- has found.

DROP TRIGGER usage_after_update_limit_bytes;
CREATE TRIGGER usage_after_update_limit_bytes AFTER UPDATE OF used_bytes ON usage
WHEN NEW.moving = 0 AND NEW.used_bytes > OLD.used_bytes AND NEW.used_bytes > coalesce(NEW.limit_bytes, NEW.default_limit_bytes)
BEGIN SELECT RAISE(ABORT, 'refused:QUOTA_EXCEEDED'); END;

DROP TRIGGER usage_after_update_limit_items;
CREATE TRIGGER usage_after_update_limit_items AFTER UPDATE OF items ON usage
WHEN NEW.moving = 0 AND NEW.items > OLD.items AND NEW.items > NEW.max_items
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:items'); END;

DROP TRIGGER usage_after_update_limit_assets;
CREATE TRIGGER usage_after_update_limit_assets AFTER UPDATE OF assets ON usage
WHEN NEW.moving = 0 AND NEW.assets > OLD.assets AND NEW.assets > NEW.max_assets
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:assets'); END;

DROP TRIGGER usage_after_update_limit_open_uploads;
CREATE TRIGGER usage_after_update_limit_open_uploads AFTER UPDATE OF open_uploads ON usage
WHEN NEW.moving = 0 AND NEW.open_uploads > OLD.open_uploads AND NEW.open_uploads + NEW.writable_keys > NEW.max_open_uploads
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:open_uploads'); END;

DROP TRIGGER usage_after_update_limit_versions;
CREATE TRIGGER usage_after_update_limit_versions AFTER UPDATE OF versions ON usage
WHEN NEW.moving = 0 AND NEW.versions > OLD.versions AND NEW.versions > NEW.max_versions
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:all_versions'); END;

DROP TRIGGER usage_after_update_limit_public_assets;
CREATE TRIGGER usage_after_update_limit_public_assets AFTER UPDATE OF public_assets ON usage
WHEN NEW.moving = 0 AND NEW.public_assets > OLD.public_assets AND NEW.public_assets > NEW.max_public_assets
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:public_assets'); END;

DROP TRIGGER usage_after_update_limit_idempotency_keys;
CREATE TRIGGER usage_after_update_limit_idempotency_keys AFTER UPDATE OF idempotency_keys ON usage
WHEN NEW.moving = 0 AND NEW.idempotency_keys > OLD.idempotency_keys AND NEW.idempotency_keys > NEW.max_idempotency_keys
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:idempotency_keys'); END;

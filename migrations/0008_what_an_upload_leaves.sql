-- When a key was given up, in Unix seconds by the clock of the Worker that did.
ALTER TABLE garbage ADD COLUMN given_up_at INTEGER;

-- A rollback shares content inside its asset: each content counts once for each asset.

DROP TRIGGER asset_versions_charge;
CREATE TRIGGER asset_versions_charge AFTER INSERT ON asset_versions BEGIN
  UPDATE game_assets SET current_version = NEW.version, updated_at = NEW.created_at WHERE id = NEW.asset_id;
  UPDATE usage SET used_bytes = used_bytes
    + iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = NEW.object_key AND asset_id = NEW.asset_id
        AND version < NEW.version), 0, NEW.size_bytes)
    - coalesce((SELECT size_bytes FROM uploads WHERE id = NEW.object_key AND completion_id = NEW.id AND state = 'completed'), 0)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = NEW.asset_id);
END;

DROP TRIGGER asset_versions_release;
CREATE TRIGGER asset_versions_release AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET used_bytes = used_bytes
    - iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key AND asset_id = OLD.asset_id), 0, OLD.size_bytes)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id);
  INSERT INTO garbage (object_key, writable_until, given_up_at)
    SELECT OLD.object_key, coalesce((SELECT expires_at FROM uploads WHERE id = OLD.object_key), 0),
      (SELECT deleted_at / 1000 FROM game_assets WHERE id = OLD.asset_id)
    WHERE NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key)
    ON CONFLICT (object_key) DO NOTHING;
END;

-- A key that was given up can be written as long as the last URL to it lives: UPLOAD_URL_TTL, as it was at the start.
-- Until then the key of an upload that did not complete counts with its owner's open uploads. The limit is asked by
-- starting an upload only: giving one up is never refused.
ALTER TABLE uploads ADD COLUMN url_ttl INTEGER NOT NULL DEFAULT 3600;
ALTER TABLE garbage ADD COLUMN owner_id TEXT; -- set while it counts
CREATE INDEX garbage_by_owner ON garbage (owner_id) WHERE owner_id IS NOT NULL;
ALTER TABLE usage ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0 CHECK (given_up >= 0);

DROP TRIGGER usage_within_open_uploads;
CREATE TRIGGER usage_within_open_uploads AFTER UPDATE OF open_uploads ON usage
WHEN NEW.open_uploads > OLD.open_uploads AND NEW.open_uploads + NEW.given_up > NEW.max_open_uploads
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:open_uploads'); END;

-- Here and not in each statement that gives up a key, so that none can forget it.
CREATE TRIGGER garbage_is_writable AFTER INSERT ON garbage
WHEN NEW.writable_until > coalesce(NEW.given_up_at, unixepoch()) BEGIN
  UPDATE garbage SET
    writable_until = min(writable_until, coalesce(NEW.given_up_at, unixepoch())
      + coalesce((SELECT url_ttl FROM uploads WHERE id = NEW.object_key), 0)),
    owner_id = (SELECT owner_id FROM uploads WHERE id = NEW.object_key AND state <> 'completed')
  WHERE object_key = NEW.object_key;
END;

CREATE TRIGGER garbage_count AFTER UPDATE OF owner_id ON garbage
WHEN NEW.owner_id IS NOT NULL AND OLD.owner_id IS NULL
BEGIN UPDATE usage SET given_up = given_up + 1 WHERE user_id = NEW.owner_id; END;

CREATE TRIGGER garbage_uncount AFTER UPDATE OF owner_id ON garbage
WHEN NEW.owner_id IS NULL AND OLD.owner_id IS NOT NULL
BEGIN UPDATE usage SET given_up = given_up - 1 WHERE user_id = OLD.owner_id; END;

CREATE TRIGGER garbage_forget AFTER DELETE ON garbage WHEN OLD.owner_id IS NOT NULL
BEGIN UPDATE usage SET given_up = given_up - 1 WHERE user_id = OLD.owner_id; END;

-- An account that is forgotten leaves no name behind, and the next one of that name begins at nothing.
CREATE TRIGGER usage_forget AFTER DELETE ON usage WHEN OLD.given_up > 0
BEGIN UPDATE garbage SET owner_id = NULL WHERE owner_id = OLD.user_id; END;

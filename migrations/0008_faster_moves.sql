-- What a move of partitions and a purge read is flat in what else there is, and the fence is cheaper (docs/scaling.md).

-- The versions of one content, those of one partition together: whether a content has a version of its own partition is a look-up,
-- however many branches have it. In place of the index over the content alone, so a version writes as many rows as before.
DROP INDEX asset_versions_by_object;
CREATE INDEX asset_versions_by_object ON asset_versions (object_key, substr(asset_id, 21, 3));

-- The users of a partition, whom the mover looks for. A user's row writes one row more, once.
CREATE INDEX usage_by_partition ON usage (partition);

-- The hints at sources of a partition. Only with several databases there are any.
CREATE INDEX branch_hints_by_partition ON branch_hints (substr(source_id, 21, 3));

-- The partitions that are not open here, by the database that they are in. With one database there are none.
CREATE INDEX partitions_elsewhere ON partitions (moved_to) WHERE state <> 'open';

-- The two triggers as in 0004_partitions.sql, by the new index.
DROP TRIGGER asset_versions_after_insert_charge;
CREATE TRIGGER asset_versions_after_insert_charge AFTER INSERT ON asset_versions BEGIN
  UPDATE game_assets SET current_version = NEW.version, updated_at = NEW.created_at
  WHERE id = NEW.asset_id AND current_version < NEW.version;
  UPDATE usage SET versions = versions + 1, used_bytes = used_bytes
    + iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = NEW.object_key
        AND substr(asset_id, 21, 3) = substr(NEW.asset_id, 21, 3) AND asset_id = NEW.asset_id AND version < NEW.version),
        0, NEW.size_bytes)
    - coalesce((SELECT size_bytes FROM uploads
        WHERE id = NEW.object_key AND completion_id = NEW.id AND state = 'completed'), 0)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = NEW.asset_id) AND moving = 0;
  -- A version of the content's own partition keeps it again.
  DELETE FROM garbage
  WHERE object_key = NEW.object_key AND substr(NEW.object_key, 21, 3) = substr(NEW.asset_id, 21, 3);
END;

-- A marker is queued once the job has looked at markers here: with one database, where there are none, it never does.
-- Markers from before its first look are found by that.
DROP TRIGGER asset_versions_after_delete_release;
CREATE TRIGGER asset_versions_after_delete_release AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET versions = versions - 1, used_bytes = used_bytes
    - iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id), 0, OLD.size_bytes)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id) AND moving = 0;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, is_version)
    SELECT OLD.object_key, coalesce((SELECT expires_at FROM uploads WHERE id = OLD.object_key), 0), deleted_at / 1000, 1
    FROM game_assets WHERE id = OLD.asset_id AND purging = 1
      AND substr(OLD.object_key, 21, 3) = substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_versions
        WHERE object_key = OLD.object_key AND substr(asset_id, 21, 3) = substr(OLD.object_key, 21, 3))
    ON CONFLICT (object_key) DO NOTHING;
  INSERT INTO garbage (object_key, writable_until, enqueued_at)
    SELECT 'refs/' || OLD.object_key || '/' || OLD.asset_id, 0, deleted_at / 1000
    FROM game_assets WHERE id = OLD.asset_id AND purging = 1
      AND substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3)
      AND EXISTS (SELECT 1 FROM progress WHERE task = 'marker_walk')
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id)
    ON CONFLICT (object_key) DO NOTHING;
  UPDATE garbage SET next_at = 0
  WHERE object_key = OLD.object_key AND substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3) AND is_version = 1
    AND NOT EXISTS (SELECT 1 FROM partitions WHERE partition = substr(OLD.object_key, 21, 3) AND state <> 'open');
END;

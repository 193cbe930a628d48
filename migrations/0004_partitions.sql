-- More than one database (docs/scaling.md): every user belongs to a partition, and every partition to one database. With one
-- database the new tables stay empty.

-- What this database knows of partitions that were moved to it or from it. A partition without a row is open in the first
-- database (binding DB) and is in no other.
--   open: everything of the partition is here.   frozen: it is being copied from here; reads go on.
--   incoming: it is being copied to here.     gone: the database `moved_to` has it.
CREATE TABLE partitions (
  partition TEXT NOT NULL PRIMARY KEY, -- three hexadecimal digits, as in ids
  state TEXT NOT NULL CHECK (state IN ('open', 'frozen', 'incoming', 'gone')),
  moved_to TEXT, -- of a partition that is gone, the binding that has it; of an incoming one, the binding that it comes from
  has_rows INTEGER NOT NULL DEFAULT 1 CHECK (has_rows IN (0, 1)) -- of one that is gone: whether its rows are still here
) STRICT, WITHOUT ROWID;

-- The partitions that are being moved.
CREATE INDEX partitions_moving ON partitions (partition, state) WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1);

-- Every batch of writes begins with an INSERT into this view, which writes nothing: the batch is refused unless the
-- partition is open here. So a late write of a Worker that does not know of a move changes nothing. The job writes for all
-- partitions ('*'), and only while none of this database is being moved.
CREATE VIEW fence (partition, database) AS SELECT partition, moved_to FROM partitions;

CREATE TRIGGER fence_instead_of_insert_refuse INSTEAD OF INSERT ON fence BEGIN
  SELECT RAISE(ABORT, 'refused:FROZEN') WHERE iif(NEW.partition = '*',
    EXISTS (SELECT 1 FROM partitions INDEXED BY partitions_moving
      WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1)),
    (SELECT state FROM partitions WHERE partition = NEW.partition) = 'frozen');
  SELECT RAISE(ABORT, 'refused:MOVED') WHERE NEW.partition <> '*'
    AND coalesce((SELECT state FROM partitions WHERE partition = NEW.partition), iif(NEW.database = 'DB', 'open', 'gone')) <> 'open';
END;

-- In which partitions the owners are who may have shared something with a user; stands with the user. A share gives the hint
-- before it is written. The job removes a hint that nothing stands behind.
CREATE TABLE share_hints (
  grantee_partition TEXT NOT NULL,
  grantee_id TEXT NOT NULL,
  partition TEXT NOT NULL,
  hinted_at INTEGER NOT NULL, -- by the latest share; later when the job has found that the hint is still needed
  erased_until INTEGER NOT NULL DEFAULT -1, -- nothing that was shared with the user by then is left there
  PRIMARY KEY (grantee_partition, grantee_id, partition)
) STRICT, WITHOUT ROWID;

CREATE INDEX share_hints_by_age ON share_hints (hinted_at);

-- In which partitions the owners of an asset's branches are; stands with the asset.
CREATE TABLE branch_hints (
  source_id TEXT NOT NULL,
  partition TEXT NOT NULL,
  hinted_at INTEGER NOT NULL,
  PRIMARY KEY (source_id, partition)
) STRICT, WITHOUT ROWID;

CREATE INDEX branch_hints_by_age ON branch_hints (hinted_at);

-- The user's partition, by which the mover finds users; null in a row from before, until the user writes again or the mover
-- fills it in. `moving` is set while the mover copies the user's rows to here or removes them from here: the row comes
-- with its counters, so triggers count nothing then.
ALTER TABLE usage ADD COLUMN partition TEXT;
ALTER TABLE usage ADD COLUMN moving INTEGER NOT NULL DEFAULT 0 CHECK (moving IN (0, 1));
UPDATE usage SET partition = coalesce(
  (SELECT substr(id, 21, 3) FROM files WHERE owner_id = user_id AND trashed_at IS NULL AND blocked = 0 LIMIT 1),
  (SELECT substr(id, 21, 3) FROM game_assets WHERE owner_id = user_id AND deleted_at IS NULL LIMIT 1));

-- 1: the user's own data are in another database, and only what was shared with the user is to be removed from this one.
ALTER TABLE erasures ADD COLUMN is_guest INTEGER NOT NULL DEFAULT 0 CHECK (is_guest IN (0, 1));

-- The content of an asset's version is queued when the last version of its own partition goes. It waits in the queue while
-- versions of other partitions share it. `deleting` is set once none does: from then on no version can.
ALTER TABLE garbage ADD COLUMN is_version INTEGER NOT NULL DEFAULT 0 CHECK (is_version IN (0, 1));
ALTER TABLE garbage ADD COLUMN deleting INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1));

INSERT INTO garbage (object_key, writable_until, is_version)
  SELECT DISTINCT object_key, 0, 1 FROM asset_versions AS version
  WHERE substr(object_key, 21, 3) <> substr(asset_id, 21, 3) AND NOT EXISTS (
    SELECT 1 FROM asset_versions AS own
    WHERE own.object_key = version.object_key AND substr(own.asset_id, 21, 3) = substr(own.object_key, 21, 3))
  ON CONFLICT (object_key) DO UPDATE SET is_version = 1;

-- game_assets.number: from now on 48 bits of the id's time, 12 of its random bits and the first 3 of its partition, so that
-- the order of a search is the same in every database (src/platform/db/id.ts, rowidOf). JSON knows hexadecimal numbers. The number is in
-- every entry of an index, and an index is written faster as a whole than entry by entry.
DROP TRIGGER game_assets_before_update_keep_identity;
INSERT INTO public_names (public_names) VALUES ('delete-all');
DROP INDEX game_assets_by_name;
DROP INDEX game_assets_own;
DROP INDEX game_assets_deleted;
DROP INDEX game_assets_listed;
DROP INDEX game_assets_by_initial;
DROP INDEX game_assets_by_two_initials;
DROP INDEX branches_listed;
DROP INDEX branches_unlisted;
DROP INDEX game_assets_by_deletion;
DROP INDEX game_assets_purging;
UPDATE game_assets SET number =
  (('0x' || substr(id, 1, 8) || substr(id, 10, 4) || substr(id, 16, 3)) ->> '$') * 8
  + (instr('0123456789abcdef', substr(id, 21, 1)) - 1) / 2;
CREATE UNIQUE INDEX game_assets_by_name ON game_assets (owner_id, name) WHERE deleted_at IS NULL;
CREATE INDEX game_assets_own ON game_assets (owner_id, type, id) WHERE deleted_at IS NULL;
CREATE INDEX game_assets_deleted ON game_assets (owner_id, type, id) WHERE deleted_at IS NOT NULL AND purging = 0;
CREATE INDEX game_assets_listed ON game_assets (type, id) WHERE is_listed = 1;
CREATE INDEX game_assets_by_initial ON game_assets (substr(search_name, 1, 1), type, id) WHERE is_listed = 1;
CREATE INDEX game_assets_by_two_initials ON game_assets (substr(search_name, 1, 2), type, id) WHERE is_listed = 1;
CREATE INDEX branches_listed ON game_assets (branched_from_asset_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_listed = 1;
CREATE INDEX branches_unlisted ON game_assets (branched_from_asset_id, owner_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_listed = 0 AND deleted_at IS NULL;
CREATE INDEX game_assets_by_deletion ON game_assets (deleted_at) WHERE deleted_at IS NOT NULL AND purging = 0;
CREATE INDEX game_assets_purging ON game_assets (owner_id, id) WHERE purging = 1;
INSERT INTO public_names (rowid, search_name) SELECT number, search_name FROM game_assets WHERE is_listed = 1;

CREATE TRIGGER game_assets_before_update_keep_identity
BEFORE UPDATE OF number, id, owner_id, type, branched_from_asset_id ON game_assets
WHEN NEW.number IS NOT OLD.number OR NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.type IS NOT OLD.type
  OR NEW.branched_from_asset_id IS NOT OLD.branched_from_asset_id
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:an asset keeps its owner, type and source'); END;

-- The triggers that count, as in 0002_triggers.sql, but for users who are being moved.

DROP TRIGGER files_after_insert_charge;
CREATE TRIGGER files_after_insert_charge AFTER INSERT ON files BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET items = items + 1, used_bytes = used_bytes + NEW.charged_bytes
  WHERE user_id = NEW.owner_id AND moving = 0;
END;

DROP TRIGGER uploads_before_insert_limit_ended;
CREATE TRIGGER uploads_before_insert_limit_ended BEFORE INSERT ON uploads
WHEN EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id AND ended_uploads >= max_ended_uploads AND moving = 0)
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:ended_uploads'); END;

DROP TRIGGER uploads_after_insert_charge;
CREATE TRIGGER uploads_after_insert_charge AFTER INSERT ON uploads BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:an upload begins open')
    WHERE NEW.state <> 'open' AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id AND moving = 1);
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET open_uploads = open_uploads + 1, used_bytes = used_bytes + NEW.size_bytes
  WHERE user_id = NEW.owner_id AND moving = 0;
END;

-- A file is moved without its counts of shares, and its shares then count themselves.
DROP TRIGGER shares_after_insert_count;
CREATE TRIGGER shares_after_insert_count AFTER INSERT ON shares BEGIN
  UPDATE files SET share_count = share_count + 1, expired_share_count = expired_share_count + NEW.expired
  WHERE id = NEW.file_id;
END;

DROP TRIGGER game_assets_after_insert_count;
CREATE TRIGGER game_assets_after_insert_count AFTER INSERT ON game_assets BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET assets = assets + 1,
    public_assets = public_assets + (NEW.visibility = 'public' AND NEW.deleted_at IS NULL)
  WHERE user_id = NEW.owner_id AND moving = 0;
END;

DROP TRIGGER idempotency_after_insert_count;
CREATE TRIGGER idempotency_after_insert_count AFTER INSERT ON idempotency BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.caller_id);
  UPDATE usage SET idempotency_keys = idempotency_keys + 1 WHERE user_id = NEW.caller_id AND moving = 0;
END;

-- The mover inserts a row of garbage without its owner and its times, and gives it these by an UPDATE.
DROP TRIGGER garbage_after_update_count;
CREATE TRIGGER garbage_after_update_count AFTER UPDATE OF owner_id ON garbage
WHEN (NEW.owner_id IS NULL) <> (OLD.owner_id IS NULL) BEGIN
  UPDATE usage SET writable_keys = writable_keys + iif(OLD.owner_id IS NULL, 1, -1)
  WHERE user_id = coalesce(NEW.owner_id, OLD.owner_id) AND moving = 0;
END;

-- The mover inserts an asset with its current version, and its versions afterwards.
DROP TRIGGER asset_versions_before_insert_check_number;
CREATE TRIGGER asset_versions_before_insert_check_number BEFORE INSERT ON asset_versions
WHEN NEW.version IS NOT (SELECT current_version + 1 FROM game_assets WHERE id = NEW.asset_id AND deleted_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM game_assets JOIN usage ON user_id = owner_id
    WHERE id = NEW.asset_id AND moving = 1 AND NEW.version <= current_version)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a version follows the last of a live asset'); END;

DROP TRIGGER asset_versions_before_insert_refuse_garbage;
CREATE TRIGGER asset_versions_before_insert_refuse_garbage BEFORE INSERT ON asset_versions
WHEN EXISTS (SELECT 1 FROM garbage WHERE object_key = NEW.object_key AND (deleting = 1 OR is_version = 0))
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:that content is queued for deletion'); END;

DROP TRIGGER asset_versions_after_insert_charge;
CREATE TRIGGER asset_versions_after_insert_charge AFTER INSERT ON asset_versions BEGIN
  UPDATE game_assets SET current_version = NEW.version, updated_at = NEW.created_at
  WHERE id = NEW.asset_id AND current_version < NEW.version;
  UPDATE usage SET versions = versions + 1, used_bytes = used_bytes
    + iif(EXISTS (SELECT 1 FROM asset_versions
        WHERE object_key = NEW.object_key AND asset_id = NEW.asset_id AND version < NEW.version), 0, NEW.size_bytes)
    - coalesce((SELECT size_bytes FROM uploads
        WHERE id = NEW.object_key AND completion_id = NEW.id AND state = 'completed'), 0)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = NEW.asset_id) AND moving = 0;
  -- A version of the content's own partition keeps it again.
  DELETE FROM garbage
  WHERE object_key = NEW.object_key AND substr(NEW.object_key, 21, 3) = substr(NEW.asset_id, 21, 3);
END;

DROP TRIGGER asset_versions_before_delete_check_purging;
CREATE TRIGGER asset_versions_before_delete_check_purging BEFORE DELETE ON asset_versions
WHEN NOT EXISTS (SELECT 1 FROM game_assets WHERE id = OLD.asset_id AND purging = 1)
  AND NOT EXISTS (SELECT 1 FROM game_assets JOIN usage ON user_id = owner_id WHERE id = OLD.asset_id AND moving = 1)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:versions go only with their asset'); END;

-- The content is queued with the last version of its own partition. The version of another partition has a marker object in R2
-- (src/platform/shards/markers.ts), which is queued with it, and makes the job look at the content again. The mover removes versions
-- of assets that are not being purged, too: of those nothing is queued, and it removes the partitions' garbage in the end.
DROP TRIGGER asset_versions_after_delete_release;
CREATE TRIGGER asset_versions_after_delete_release AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET versions = versions - 1, used_bytes = used_bytes
    - iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key AND asset_id = OLD.asset_id),
        0, OLD.size_bytes)
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
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key AND asset_id = OLD.asset_id)
    ON CONFLICT (object_key) DO NOTHING;
  UPDATE garbage SET next_at = 0
  WHERE object_key = OLD.object_key AND substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3) AND is_version = 1
    AND NOT EXISTS (SELECT 1 FROM partitions WHERE partition = substr(OLD.object_key, 21, 3) AND state <> 'open');
END;

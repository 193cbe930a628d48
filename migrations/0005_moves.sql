-- Moving partitions from one database to another (docs/scaling.md, src/platform/shards/mover). With one database the tables stay empty.

-- The move that is under way from or to this database: at most one. Its partitions are those of `partitions` that are neither
-- open nor gone without rows.
CREATE TABLE moves (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL, -- the same in both databases
  role TEXT NOT NULL CHECK (role IN ('source', 'target')), -- of this database
  other TEXT NOT NULL, -- the binding of the other database
  step INTEGER NOT NULL DEFAULT 0, -- how many steps have been taken here
  position TEXT NOT NULL -- how far it is, as a JSON object
) STRICT;

-- The users who are being moved to this database, each with about how many rows.
CREATE TABLE moving_users (
  user_id TEXT NOT NULL PRIMARY KEY,
  size INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every batch of the mover begins with an INSERT into this view, which writes nothing: the batch is refused unless the
-- move is where the mover thinks it is. So a step takes effect once, however often and by whomever it is tried.
CREATE VIEW move_fence (id, step) AS SELECT id, step FROM moves;

CREATE TRIGGER move_fence_instead_of_insert_refuse INSTEAD OF INSERT ON move_fence
WHEN NOT EXISTS (SELECT 1 FROM moves WHERE one = 1 AND id = NEW.id AND step = NEW.step)
BEGIN SELECT RAISE(ABORT, 'refused:MOVED'); END;

-- A partition is never open in two databases: it opens where it came in, or where it was frozen and nobody else has it.
CREATE TRIGGER partitions_before_update_keep_order BEFORE UPDATE OF state ON partitions
WHEN NOT (
  (OLD.state = 'open' AND NEW.state = 'frozen') OR (OLD.state = 'frozen' AND NEW.state IN ('open', 'gone'))
  OR (OLD.state = 'gone' AND (NEW.state = 'incoming' AND OLD.has_rows = 0 OR NEW.state = 'open' AND OLD.has_rows = 1))
  OR (OLD.state = 'incoming' AND NEW.state IN ('open', 'gone')) OR NEW.state = OLD.state)
BEGIN SELECT RAISE(ABORT, 'refused:MOVED'); END;

-- Nothing is counted when the mover removes the rows of a user: the row of `usage` goes with them.

DROP TRIGGER files_after_delete_release;
CREATE TRIGGER files_after_delete_release AFTER DELETE ON files BEGIN
  UPDATE usage SET items = items - 1, used_bytes = used_bytes - OLD.charged_bytes WHERE user_id = OLD.owner_id AND moving = 0;
END;

DROP TRIGGER uploads_after_delete_release_open;
CREATE TRIGGER uploads_after_delete_release_open AFTER DELETE ON uploads WHEN OLD.state IN ('open', 'completing') BEGIN
  UPDATE usage SET open_uploads = open_uploads - 1, used_bytes = used_bytes - OLD.size_bytes
  WHERE user_id = OLD.owner_id AND moving = 0;
END;

DROP TRIGGER uploads_after_delete_count_ended;
CREATE TRIGGER uploads_after_delete_count_ended AFTER DELETE ON uploads WHEN OLD.state IN ('completed', 'failed') BEGIN
  UPDATE usage SET ended_uploads = ended_uploads - 1 WHERE user_id = OLD.owner_id AND moving = 0;
END;

DROP TRIGGER game_assets_after_delete_count;
CREATE TRIGGER game_assets_after_delete_count AFTER DELETE ON game_assets BEGIN
  UPDATE usage SET assets = assets - 1,
    public_assets = public_assets - (OLD.visibility = 'public' AND OLD.deleted_at IS NULL)
  WHERE user_id = OLD.owner_id AND moving = 0;
END;

DROP TRIGGER idempotency_after_delete_count;
CREATE TRIGGER idempotency_after_delete_count AFTER DELETE ON idempotency BEGIN
  UPDATE usage SET idempotency_keys = idempotency_keys - 1 WHERE user_id = OLD.caller_id AND moving = 0;
END;

DROP TRIGGER garbage_after_delete_count;
CREATE TRIGGER garbage_after_delete_count AFTER DELETE ON garbage WHEN OLD.owner_id IS NOT NULL
BEGIN UPDATE usage SET writable_keys = writable_keys - 1 WHERE user_id = OLD.owner_id AND moving = 0; END;

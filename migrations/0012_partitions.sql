-- Partitions (docs/scaling.md): every user belongs to a partition, and every partition to one database. With one database the
-- tables `partitions`, `moves` and `moving_users` stay empty.

-- The partitions that were moved to this database or from it. A partition without a row is open in the first database (binding
-- DB), and is in no other.
--   open: this database has the partition.   frozen: it is being copied from this database; reads go on.
--   incoming: it is being copied to this database.   gone: the database `moved_to` has it.
CREATE TABLE partitions (
  partition TEXT NOT NULL PRIMARY KEY, -- three hexadecimal digits, as in ids
  state TEXT NOT NULL CHECK (state IN ('open', 'frozen', 'incoming', 'gone')),
  -- The binding of the other database: of a partition that is gone, the one that has it; of a frozen one, the one that gets it;
  -- of an incoming one, the one that it comes from.
  moved_to TEXT,
  has_rows INTEGER NOT NULL DEFAULT 1 CHECK (has_rows IN (0, 1)) -- of a partition that is gone: whether its rows are still here
) STRICT, WITHOUT ROWID;

-- The partitions that are being moved.
CREATE INDEX partitions_moving ON partitions (partition, state) WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1);
-- The partitions that are not open here, by the database that they are in.
CREATE INDEX partitions_elsewhere ON partitions (moved_to) WHERE state <> 'open';

-- The changes of state that a move makes, and that take a move back. With them, a partition is never open in two databases.
CREATE TRIGGER partitions_before_update_check_state BEFORE UPDATE OF state ON partitions
WHEN NOT (
  (OLD.state = 'open' AND NEW.state = 'frozen') OR (OLD.state = 'frozen' AND NEW.state IN ('open', 'gone'))
  OR (OLD.state = 'gone' AND (NEW.state = 'incoming' AND OLD.has_rows = 0 OR NEW.state = 'open' AND OLD.has_rows = 1))
  OR (OLD.state = 'incoming' AND NEW.state IN ('open', 'gone')) OR NEW.state = OLD.state)
BEGIN SELECT RAISE(ABORT, 'refused:MOVED'); END;

-- The fence of a request. Its batch of writes begins with an INSERT into this view, which writes nothing: the batch is refused
-- unless the partition is open here. So a late write of a Worker that does not know of a move changes nothing. `state_without_row`: the
-- state of a partition without a row; null in the first database, 'gone' in others.
CREATE VIEW partition_fence (partition, state_without_row) AS SELECT partition, state FROM partitions;

CREATE TRIGGER partition_fence_instead_of_insert_refuse INSTEAD OF INSERT ON partition_fence
WHEN coalesce((SELECT state FROM partitions WHERE partition = NEW.partition), NEW.state_without_row, 'open') <> 'open'
BEGIN SELECT RAISE(ABORT, 'refused:MOVED'); END;

-- The same fence for a batch that begins with an upsert of the user's row of `usage`, and so needs no statement of its own. An
-- upsert runs this trigger whether the row is there or not. The mover inserts rows with `moving`.
CREATE TRIGGER usage_before_insert_fence BEFORE INSERT ON usage
WHEN NEW.moving = 0 AND (SELECT state FROM partitions WHERE partition = NEW.partition) <> 'open'
BEGIN SELECT RAISE(ABORT, 'refused:MOVED'); END;

-- The fence of a second partition, for a batch that writes a share or a branch with its hint. After LINKED_MOVED the request
-- writes the two in two databases.
CREATE VIEW linked_partition_fence (partition, state_without_row) AS SELECT partition, state FROM partitions;

CREATE TRIGGER linked_partition_fence_instead_of_insert_refuse INSTEAD OF INSERT ON linked_partition_fence
WHEN coalesce((SELECT state FROM partitions WHERE partition = NEW.partition), NEW.state_without_row, 'open') <> 'open'
BEGIN
  SELECT RAISE(ABORT, 'refused:FROZEN') FROM partitions WHERE partition = NEW.partition AND state = 'frozen';
  SELECT RAISE(ABORT, 'refused:LINKED_MOVED');
END;

-- The fence of the job and of the mover, also an INSERT that writes nothing. The job writes rows of all partitions ('*'), and only
-- while no partition is being moved from or to this database. The mover names partitions that have to be open here.
CREATE VIEW fence (partition, database) AS SELECT partition, moved_to FROM partitions;

CREATE TRIGGER fence_instead_of_insert_refuse INSTEAD OF INSERT ON fence BEGIN
  SELECT RAISE(ABORT, 'refused:FROZEN') WHERE iif(NEW.partition = '*',
    EXISTS (SELECT 1 FROM partitions INDEXED BY partitions_moving
      WHERE state IN ('frozen', 'incoming') OR (state = 'gone' AND has_rows = 1)),
    (SELECT state FROM partitions WHERE partition = NEW.partition) = 'frozen');
  SELECT RAISE(ABORT, 'refused:MOVED') WHERE NEW.partition <> '*'
    AND coalesce((SELECT state FROM partitions WHERE partition = NEW.partition), iif(NEW.database = 'DB', 'open', 'gone')) <> 'open';
END;

-- The partitions whose users may have shared files with a grantee. A hint is in the database of the grantee's partition, from
-- before the share until the job finds no share in the hinted partition any more.
CREATE TABLE share_hints (
  grantee_partition TEXT NOT NULL,
  grantee_id TEXT NOT NULL,
  partition TEXT NOT NULL,
  hinted_at INTEGER NOT NULL, -- the time of the latest share, or a later time that the job sets when the hint is still needed
  -- An erasure of the grantee has removed every share from up to this time in the hinted partition. -1: no erasure.
  erased_until INTEGER NOT NULL DEFAULT -1,
  PRIMARY KEY (grantee_partition, grantee_id, partition)
) STRICT, WITHOUT ROWID;

CREATE INDEX share_hints_by_age ON share_hints (hinted_at);

-- The partitions whose users may have branched an asset. A hint is in the database of the asset's partition.
CREATE TABLE branch_hints (
  source_id TEXT NOT NULL,
  partition TEXT NOT NULL,
  hinted_at INTEGER NOT NULL,
  PRIMARY KEY (source_id, partition)
) STRICT, WITHOUT ROWID;

CREATE INDEX branch_hints_by_age ON branch_hints (hinted_at);
-- The hints at sources of a partition, for the mover.
CREATE INDEX branch_hints_by_partition ON branch_hints (substr(source_id, 21, 3));

-- The move that is under way from or to this database: at most one (src/operators/shards/mover). Its partitions are those of
-- `partitions` that are neither open nor gone without rows.
CREATE TABLE moves (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL, -- the same in both databases
  role TEXT NOT NULL CHECK (role IN ('source', 'target')), -- of this database
  other TEXT NOT NULL, -- the binding of the other database
  step INTEGER NOT NULL DEFAULT 0, -- how many steps have been taken here
  position TEXT NOT NULL CHECK (json_valid(position)) -- its progress (src/operators/shards/mover/moves.ts)
) STRICT;

-- The users who are being moved to this database, each with about how many rows.
CREATE TABLE moving_users (
  user_id TEXT NOT NULL PRIMARY KEY,
  size INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every batch of the mover begins with an INSERT into this view, which writes nothing: the batch is refused unless the move is at
-- this step. So a step takes effect once, even if several movers try it several times.
CREATE VIEW move_fence (id, step) AS SELECT id, step FROM moves;

CREATE TRIGGER move_fence_instead_of_insert_refuse INSTEAD OF INSERT ON move_fence
WHEN NOT EXISTS (SELECT 1 FROM moves WHERE one = 1 AND id = NEW.id AND step = NEW.step)
BEGIN SELECT RAISE(ABORT, 'refused:MOVED'); END;

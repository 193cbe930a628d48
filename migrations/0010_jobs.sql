-- The position from which a task of the job continues.
CREATE TABLE progress (
  task TEXT NOT NULL PRIMARY KEY,
  position TEXT -- null: from the beginning
) STRICT, WITHOUT ROWID;

-- The walk through the bucket looks for objects without a row. A key is an upload's id, and the upload's row stays until the
-- walk has passed. The walk begins a week before the database was made, in case clocks differ: a late first run misses no
-- object, and the walk leaves out objects of an older database.
INSERT INTO progress (task, position)
  SELECT 'bucket_walk', printf('%08x-%04x-7000-8000-000000000000', ms / 65536, ms % 65536)
  FROM (SELECT (unixepoch() - 7 * 86400) * 1000 AS ms);

-- Owners for whom a step of a task has failed. The task leaves them out until `next_at`.
CREATE TABLE paused_owners (
  task TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  failures INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (task, owner_id)
) STRICT, WITHOUT ROWID;

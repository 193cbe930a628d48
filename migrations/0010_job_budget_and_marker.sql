-- The scheduled job: its database and its bucket belong together, purges go owner by owner, and the walk through the
-- bucket looks at each key once (decisions, "Files"; README, "The scheduled job").

-- A random value that stands in the bucket too, as the content of the object `.marker`. While the two differ, the job
-- removes no object: the database is empty, is another one, or has been rolled back.
CREATE TABLE bucket_marker (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  current TEXT, -- null until the bucket has first been paired
  next TEXT, -- null, or what the bucket is about to be given
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Owners with whom a step of a task has failed: it leaves them out until then, while others go on.
CREATE TABLE paused_owners (
  task TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  failures INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (task, owner_id)
) STRICT, WITHOUT ROWID;

DROP INDEX game_assets_purging;
CREATE INDEX game_assets_purging ON game_assets (owner_id, id) WHERE purging = 1;

-- The walk through the bucket asks `uploads` instead: a key is an upload's id, and that row stays until the walk has
-- passed. It begins a week back, where every upload's row is still there.
DROP INDEX files_by_object;
-- Not under the name that the walk had before: a Worker of before that still runs would write its own position there.
DELETE FROM progress WHERE task = 'orphans';
INSERT INTO progress (task, position)
  SELECT 'bucket_walk', printf('%08x-%04x-7000-8000-000000000000', ms / 65536, ms % 65536)
  FROM (SELECT (unixepoch() - 7 * 86400) * 1000 AS ms);

-- What the walk found, and no statement gave up: before its object is removed, `files` itself is asked.
ALTER TABLE garbage ADD COLUMN is_orphan INTEGER NOT NULL DEFAULT 0 CHECK (is_orphan IN (0, 1));

-- Objects whose last row is gone. Written in the batch that removes the row, so that a crash leaves work for the job and
-- never an object that nothing refers to. The job deletes an object at once, again when the last URL to it has expired,
-- and once more when a PUT that began in time has ended. Then it removes the row.
CREATE TABLE garbage (
  object_key TEXT NOT NULL PRIMARY KEY,
  multipart_id TEXT, -- R2 keeps the parts until the multipart upload is aborted
  writable_until INTEGER NOT NULL, -- a URL may still create the object until then
  enqueued_at INTEGER, -- by the clock of the Worker that wrote the row
  owner_id TEXT, -- set while the key counts with its owner's open uploads
  is_orphan INTEGER NOT NULL DEFAULT 0 CHECK (is_orphan IN (0, 1)), -- found in the bucket, without a row that has its key
  -- 1: the content of an asset's version. It is queued when the last version of its own partition is removed, and waits here
  -- while versions of other partitions share it.
  is_version INTEGER NOT NULL DEFAULT 0 CHECK (is_version IN (0, 1)),
  -- Set once no version shares the content: triggers refuse new ones from then on.
  deleting INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1)),
  -- Purged content stays until then for this user, so that a database that is restored to before the purge has its content
  -- (docs/going-back.md). The erasure of the user ends it. Null without CONTENT_GRACE_DAYS.
  kept_until INTEGER,
  kept_for TEXT,
  kept_bytes INTEGER NOT NULL DEFAULT 0, -- of the content; counted in `usage` while `kept_for` is set
  free_at INTEGER NOT NULL DEFAULT 0, -- when the job would delete it without grace
  next_at INTEGER NOT NULL DEFAULT 0 -- when the job looks at it again
) STRICT, WITHOUT ROWID;

CREATE INDEX garbage_by_turn ON garbage (next_at);
CREATE INDEX garbage_by_owner ON garbage (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX garbage_kept ON garbage (kept_for) WHERE kept_for IS NOT NULL;

-- garbage: a key can be written as long as the last URL to it is valid. Until then the key of an upload that did not
-- complete counts with its owner's open uploads. In a trigger, so that it holds for every statement that adds a key.

CREATE TRIGGER garbage_after_insert_count AFTER INSERT ON garbage
WHEN NEW.writable_until > coalesce(NEW.enqueued_at, unixepoch()) BEGIN
  UPDATE garbage SET
    writable_until = min(writable_until, coalesce(NEW.enqueued_at, unixepoch())
      + coalesce((SELECT url_ttl FROM uploads WHERE id = NEW.object_key), 0)),
    owner_id = (SELECT owner_id FROM uploads WHERE id = NEW.object_key AND state <> 'completed')
  WHERE object_key = NEW.object_key;
END;

-- The mover inserts a row of garbage without its owner and its times, and gives it these by an UPDATE.
CREATE TRIGGER garbage_after_update_count AFTER UPDATE OF owner_id ON garbage
WHEN (NEW.owner_id IS NULL) <> (OLD.owner_id IS NULL) BEGIN
  UPDATE usage SET writable_keys = writable_keys + iif(OLD.owner_id IS NULL, 1, -1)
  WHERE user_id = coalesce(NEW.owner_id, OLD.owner_id) AND moving = 0;
END;

CREATE TRIGGER garbage_after_delete_count AFTER DELETE ON garbage WHEN OLD.owner_id IS NOT NULL
BEGIN UPDATE usage SET writable_keys = writable_keys - 1 WHERE user_id = OLD.owner_id AND moving = 0; END;

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

-- A random value that is also the content of the object `.pairing` in the bucket. While the two differ, the job deletes no
-- object: the database is empty, is another one, or has been rolled back.
CREATE TABLE bucket_pairing (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  current TEXT, -- null until the bucket is paired
  next TEXT, -- the value that the bucket is about to be given, or null
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Announcements: notifications for all players (docs/architecture.md#the-inbox). They are in the first database only.
CREATE TABLE announcements (
  id TEXT NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL UNIQUE, -- the version of the list that it began with
  type TEXT NOT NULL,
  data TEXT NOT NULL, -- JSON
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  key_hash TEXT UNIQUE, -- of the publisher and its Idempotency-Key; null: there was none
  request_hash TEXT -- of the request with that key
) STRICT, WITHOUT ROWID;

-- The version of the list. Each change has a higher one, which is at least the time in milliseconds: so it rises also after
-- going back to an earlier state of the database.
CREATE TABLE announcement_list (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL
) STRICT;

INSERT INTO announcement_list (one, version) VALUES (1, 0);

-- Recalls of saves, those that have ended too (docs/recalling-saves.md). They are in the first database only.
CREATE TABLE recalls (
  id TEXT NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL UNIQUE, -- the version of the list that it began with
  changed INTEGER NOT NULL, -- the version of the list since its last change, its end included
  from_time INTEGER NOT NULL,
  until_time INTEGER NOT NULL CHECK (from_time < until_time),
  newer TEXT NOT NULL CHECK (newer IN ('keep', 'revert')),
  reason TEXT NOT NULL,
  slots TEXT, -- JSON; null: all of the player's
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  player_count INTEGER NOT NULL DEFAULT 0,
  slot_count INTEGER NOT NULL DEFAULT 0,
  kept_count INTEGER NOT NULL DEFAULT 0,
  without_earlier_count INTEGER NOT NULL DEFAULT 0,
  key_hash TEXT UNIQUE, -- of the caller and its Idempotency-Key; null: there was none
  request_hash TEXT -- of the request with that key
) STRICT, WITHOUT ROWID;

CREATE INDEX recalls_by_change ON recalls (changed);
CREATE INDEX recalls_in_force ON recalls (number) WHERE ended_at IS NULL;

-- The reports of players' objects that are in the counts. They name nobody; the ids sort by time.
CREATE TABLE recall_reports (
  id TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

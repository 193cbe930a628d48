-- A user who was erased: every row of the user with `created_at` up to `until` is being purged. Rows that the user creates
-- afterwards get a later time, even if clocks differ. The job removes the row when no such row is left, and the inbox has been
-- erased.
CREATE TABLE erasures (
  user_id TEXT NOT NULL PRIMARY KEY,
  until INTEGER NOT NULL,
  mark TEXT NOT NULL, -- the erasure's id, which sorts by time: the inbox keeps the last one, and is erased once for each
  -- 1: the user's own data are in another database, and only what was shared with the user is to be removed from this one.
  is_guest INTEGER NOT NULL DEFAULT 0 CHECK (is_guest IN (0, 1)),
  inbox_erased INTEGER NOT NULL DEFAULT 0 CHECK (inbox_erased IN (0, 1)),
  -- The last database from whose blocks the user's id, as the moderator's, has been removed: they take turns. Null: none yet.
  asked TEXT,
  next_at INTEGER NOT NULL DEFAULT 0 -- when the job looks at it again, in milliseconds
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_by_turn ON erasures (next_at);

-- Users that are being erased (decisions, "For those who run it"): the job goes on until nothing of theirs is left.
CREATE TABLE erasures (
  user_id TEXT NOT NULL PRIMARY KEY,
  until INTEGER NOT NULL, -- what they made by then goes, in Unix seconds
  next_at INTEGER NOT NULL DEFAULT 0 -- when the job looks at it again, in milliseconds
) STRICT, WITHOUT ROWID;
CREATE INDEX erasures_by_turn ON erasures (next_at);

-- What an erasure looks for, and nothing else had to find.
CREATE INDEX uploads_of_assets ON uploads (owner_id) WHERE upload_type = 'game_asset';
CREATE INDEX shares_expired_with_grantee ON shares (grantee_id) WHERE expired = 1;

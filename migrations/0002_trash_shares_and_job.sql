-- Trash, shares and the scheduled job (specification §2.3, §3.2, §3.3, §4.2–4.4; decisions "Files", "Shares").

-- What a user deleted directly, most recent first.
CREATE INDEX files_in_trash ON files (owner_id, trashed_at, id) WHERE trashed_at IS NOT NULL AND purging = 0;
-- The same for the job, which asks what has been there for long enough.
CREATE INDEX files_by_time_in_trash ON files (trashed_at) WHERE trashed_at IS NOT NULL AND purging = 0;
-- What is being deleted for good.
CREATE INDEX files_purging ON files (owner_id, id) WHERE purging = 1;
-- Whether any record knows an object.
CREATE INDEX files_by_object ON files (object_key) WHERE object_key IS NOT NULL;

ALTER TABLE files ADD COLUMN share_count INTEGER NOT NULL DEFAULT 0 CHECK (share_count >= 0);

CREATE TABLE shares (
  id TEXT NOT NULL PRIMARY KEY,
  file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  grantee_id TEXT NOT NULL,
  permission TEXT NOT NULL CHECK (permission IN ('view', 'edit')),
  expires_at INTEGER, -- null: never
  created_at INTEGER NOT NULL,
  -- Set by the job some time after expires_at, so that a grantee's list need not read past what has expired.
  -- Rules look at expires_at only.
  expired INTEGER NOT NULL DEFAULT 0 CHECK (expired IN (0, 1)),
  UNIQUE (file_id, grantee_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX shares_with_grantee ON shares (grantee_id, id) WHERE expired = 0;
CREATE INDEX shares_by_expiry ON shares (expires_at) WHERE expired = 0 AND expires_at IS NOT NULL;

CREATE TRIGGER shares_count AFTER INSERT ON shares
BEGIN UPDATE files SET share_count = share_count + 1 WHERE id = NEW.file_id; END;

CREATE TRIGGER shares_uncount AFTER DELETE ON shares
BEGIN UPDATE files SET share_count = share_count - 1 WHERE id = OLD.file_id; END;

CREATE TRIGGER shares_keep_place BEFORE UPDATE OF id, file_id, grantee_id ON shares
WHEN NEW.id IS NOT OLD.id OR NEW.file_id IS NOT OLD.file_id OR NEW.grantee_id IS NOT OLD.grantee_id
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a share stays with its file and its grantee'); END;

-- When the job looks at an object again: at once, and once more when no PUT can come any more.
ALTER TABLE garbage ADD COLUMN next_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX garbage_by_turn ON garbage (next_at);

-- Ended uploads, for the job to forget.
CREATE INDEX uploads_ended ON uploads (expires_at) WHERE state IN ('completed', 'failed');

-- Where the job's walk through the bucket goes on.
CREATE TABLE progress (
  task TEXT NOT NULL PRIMARY KEY,
  position TEXT -- null: from the beginning
) STRICT, WITHOUT ROWID;

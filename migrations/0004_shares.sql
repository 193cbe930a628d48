-- A file or folder that its owner shares with another user.
CREATE TABLE shares (
  id TEXT NOT NULL PRIMARY KEY,
  file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  owner_id TEXT NOT NULL, -- the file's
  grantee_id TEXT NOT NULL,
  permission TEXT NOT NULL CHECK (permission IN ('view', 'edit')),
  expires_at INTEGER, -- null: never
  -- Set some time after expires_at, by the job or by a new share that needs the room, so that the grantee's list reads
  -- past no expired share. Rules look at expires_at only. The job removes the row 30 days later.
  expired INTEGER NOT NULL DEFAULT 0 CHECK (expired IN (0, 1)),
  created_at INTEGER NOT NULL,
  UNIQUE (file_id, grantee_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX shares_with_grantee ON shares (grantee_id, id) WHERE expired = 0;
-- What one owner shares with one grantee, who can leave all of it at once.
CREATE INDEX shares_between ON shares (grantee_id, owner_id) WHERE expired = 0;
CREATE INDEX shares_of_file_by_expiry ON shares (file_id, expired, expires_at);
-- For the job: shares to flag, and flagged ones to remove.
CREATE INDEX shares_by_expiry ON shares (expires_at) WHERE expired = 0 AND expires_at IS NOT NULL;
CREATE INDEX shares_long_expired ON shares (expires_at) WHERE expired = 1;
-- For erasing a user.
CREATE INDEX shares_expired_with_grantee ON shares (grantee_id) WHERE expired = 1;

CREATE TRIGGER shares_before_insert_check_owner BEFORE INSERT ON shares
WHEN NEW.owner_id IS NOT (SELECT owner_id FROM files WHERE id = NEW.file_id)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a share has the owner of its file'); END;

-- The mover copies a file with zero shares, and its shares afterwards, expired ones too: this trigger counts them.
CREATE TRIGGER shares_after_insert_count AFTER INSERT ON shares BEGIN
  UPDATE files SET share_count = share_count + 1, expired_share_count = expired_share_count + NEW.expired
  WHERE id = NEW.file_id;
END;

CREATE TRIGGER shares_after_update_count AFTER UPDATE OF expired ON shares WHEN NEW.expired <> OLD.expired BEGIN
  UPDATE files SET expired_share_count = expired_share_count + NEW.expired - OLD.expired WHERE id = NEW.file_id;
END;

CREATE TRIGGER shares_after_delete_count AFTER DELETE ON shares BEGIN
  UPDATE files SET share_count = share_count - 1, expired_share_count = expired_share_count - OLD.expired
  WHERE id = OLD.file_id;
END;

CREATE TRIGGER shares_before_update_keep_identity BEFORE UPDATE OF id, file_id, owner_id, grantee_id ON shares
WHEN NEW.id IS NOT OLD.id OR NEW.file_id IS NOT OLD.file_id OR NEW.owner_id IS NOT OLD.owner_id
  OR NEW.grantee_id IS NOT OLD.grantee_id
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a share stays with its file, its owner and its grantee'); END;

-- New shares whose grantee has not been notified yet (NOTIFY_SHARES, docs/files.md#notify-the-grantee). The request that made
-- the share removes its row after the answer; the job takes what is due. A table of its own, because a column of `shares` and its
-- index would have the migration read all shares, and would cost each share a row more. No trigger removes a row with its share:
-- the job does, when it is due.
CREATE TABLE shares_to_notify (
  due_at INTEGER NOT NULL, -- when the job takes it
  share_id TEXT NOT NULL,
  PRIMARY KEY (due_at, share_id)
) STRICT, WITHOUT ROWID;

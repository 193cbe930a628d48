-- Files, uploads and what they use of a user's quota (specification §2.1, §2.5; decisions "Files", "Uploads").
-- Timestamps are Unix seconds unless a comment says otherwise. Ids are UUIDv7 in text.

-- One row a user that ever made something. Kept by the triggers below and by nothing else.
-- The limits travel with each charging batch (see src/quota/usage.ts), since a trigger can't read a variable.
CREATE TABLE usage (
  user_id TEXT NOT NULL PRIMARY KEY,
  used_bytes INTEGER NOT NULL DEFAULT 0 CHECK (used_bytes >= 0),
  limit_bytes INTEGER CHECK (limit_bytes >= 0), -- null: the default
  default_limit_bytes INTEGER NOT NULL,
  items INTEGER NOT NULL DEFAULT 0 CHECK (items >= 0),
  max_items INTEGER NOT NULL,
  open_uploads INTEGER NOT NULL DEFAULT 0 CHECK (open_uploads >= 0),
  max_open_uploads INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A limit holds because no statement can pass it, whatever code sent it and however many run at once.
CREATE TRIGGER usage_within_bytes AFTER UPDATE OF used_bytes ON usage
WHEN NEW.used_bytes > OLD.used_bytes AND NEW.used_bytes > coalesce(NEW.limit_bytes, NEW.default_limit_bytes)
BEGIN SELECT RAISE(ABORT, 'refused:QUOTA_EXCEEDED'); END;

CREATE TRIGGER usage_within_items AFTER UPDATE OF items ON usage
WHEN NEW.items > OLD.items AND NEW.items > NEW.max_items
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:items'); END;

CREATE TRIGGER usage_within_open_uploads AFTER UPDATE OF open_uploads ON usage
WHEN NEW.open_uploads > OLD.open_uploads AND NEW.open_uploads > NEW.max_open_uploads
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:open_uploads'); END;

-- No foreign key on parent_id: it would scan at each purge, and it may dangle on purpose.
CREATE TABLE files (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  parent_id TEXT, -- null: root level
  name TEXT NOT NULL COLLATE NOCASE,
  asset_type TEXT NOT NULL CHECK (asset_type IN ('folder', 'file', 'profile_pic', 'emote', 'chat_attachment')),
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  mime_type TEXT,
  processing_state TEXT CHECK (processing_state IN ('pending', 'processing', 'ready', 'failed')),
  is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
  blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
  object_key TEXT, -- the content in R2; null until an upload has been completed
  revision INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  trashed_at INTEGER, -- milliseconds; set on the item that was deleted, never on what lies below it
  purging INTEGER NOT NULL DEFAULT 0 CHECK (purging = 0 OR (purging = 1 AND trashed_at IS NOT NULL)),
  CHECK ((asset_type = 'folder') = (mime_type IS NULL)),
  CHECK ((asset_type = 'folder') = (processing_state IS NULL)),
  CHECK (asset_type <> 'folder' OR size_bytes = 0),
  CHECK (object_key IS NOT NULL OR processing_state IS NOT 'ready')
) STRICT, WITHOUT ROWID;

-- A page in three sorts: filtered, one range of an index; unfiltered, a merge over the five types
-- (measured against six plain indexes: four rows fewer written for each change, five more read for a page).
CREATE INDEX files_by_name ON files (owner_id, parent_id, asset_type, name, id) WHERE trashed_at IS NULL;
CREATE INDEX files_by_created_at ON files (owner_id, parent_id, asset_type, created_at, id) WHERE trashed_at IS NULL;
CREATE INDEX files_by_size_bytes ON files (owner_id, parent_id, asset_type, size_bytes, id) WHERE trashed_at IS NULL;
-- The folders below a folder, those in the trash too: how deep a move would put them.
CREATE INDEX folders_by_parent ON files (parent_id) WHERE asset_type = 'folder';

CREATE TRIGGER files_charge AFTER INSERT ON files BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row') WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET items = items + 1,
    used_bytes = used_bytes + iif(NEW.processing_state IS 'ready', NEW.size_bytes, 0)
  WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER files_recharge AFTER UPDATE OF size_bytes, processing_state ON files
WHEN iif(NEW.processing_state IS 'ready', NEW.size_bytes, 0) <> iif(OLD.processing_state IS 'ready', OLD.size_bytes, 0)
BEGIN
  UPDATE usage SET used_bytes = used_bytes
    + iif(NEW.processing_state IS 'ready', NEW.size_bytes, 0)
    - iif(OLD.processing_state IS 'ready', OLD.size_bytes, 0)
  WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER files_release AFTER DELETE ON files BEGIN
  UPDATE usage SET items = items - 1,
    used_bytes = used_bytes - iif(OLD.processing_state IS 'ready', OLD.size_bytes, 0)
  WHERE user_id = OLD.owner_id;
END;

CREATE TRIGGER files_keep_owner BEFORE UPDATE OF id, owner_id ON files
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:an item never changes its owner'); END;

-- An upload's id is also the key of its object: each has one of its own, so nothing is ever overwritten.
-- 'completing' is a note for the reader, not a lock: every rule counts it as open.
CREATE TABLE uploads (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  upload_type TEXT NOT NULL CHECK (upload_type IN ('file', 'game_asset')),
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'completing', 'completed', 'failed')),
  file_id TEXT, -- whose content this will be
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  mime_type TEXT NOT NULL,
  checksum_sha256 TEXT, -- base64
  failure TEXT, -- why it failed, in words for the client
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  CHECK ((upload_type = 'file') = (file_id IS NOT NULL)),
  CHECK ((state = 'failed') = (failure IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX uploads_of_file ON uploads (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX uploads_open ON uploads (expires_at) WHERE state IN ('open', 'completing');

-- An open upload holds its bytes from the start; completion moves them to the row that holds the content.
CREATE TRIGGER uploads_charge AFTER INSERT ON uploads BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:an upload begins open') WHERE NEW.state <> 'open';
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row') WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET open_uploads = open_uploads + 1, used_bytes = used_bytes + NEW.size_bytes
  WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER uploads_end AFTER UPDATE OF state ON uploads
WHEN OLD.state IN ('open', 'completing') AND NEW.state IN ('completed', 'failed')
BEGIN
  UPDATE usage SET open_uploads = open_uploads - 1, used_bytes = used_bytes - OLD.size_bytes
  WHERE user_id = OLD.owner_id;
END;

CREATE TRIGGER uploads_never_reopen BEFORE UPDATE OF state ON uploads
WHEN OLD.state IN ('completed', 'failed') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:an ended upload stays ended'); END;

CREATE TRIGGER uploads_keep_size BEFORE UPDATE OF id, owner_id, size_bytes ON uploads
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.size_bytes IS NOT OLD.size_bytes
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:what an upload reserved stays as it is'); END;

CREATE TRIGGER uploads_release AFTER DELETE ON uploads
WHEN OLD.state IN ('open', 'completing')
BEGIN
  UPDATE usage SET open_uploads = open_uploads - 1, used_bytes = used_bytes - OLD.size_bytes
  WHERE user_id = OLD.owner_id;
END;

-- Objects whose last row is gone. Written in the batch that removed the row, so a crash leaves work, never a leak.
CREATE TABLE garbage (
  object_key TEXT NOT NULL PRIMARY KEY,
  writable_until INTEGER NOT NULL -- a signed URL may still create the object until then
) STRICT, WITHOUT ROWID;

CREATE TRIGGER files_refuse_garbage BEFORE UPDATE OF object_key ON files
WHEN NEW.object_key IS NOT NULL AND EXISTS (SELECT 1 FROM garbage WHERE object_key = NEW.object_key)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:that content has been given up'); END;

-- What an Idempotency-Key made, per caller, for 24 hours.
CREATE TABLE idempotency (
  caller_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  made_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (caller_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (created_at);

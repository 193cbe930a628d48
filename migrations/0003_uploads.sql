-- Uploads. An upload's id is also the key of its object in R2, so no upload overwrites another's object.
CREATE TABLE uploads (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  upload_type TEXT NOT NULL CHECK (upload_type IN ('file', 'game_asset')),
  -- 'completing' is a note for readers, not a lock: every rule counts it as open.
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'completing', 'completed', 'failed')),
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  mime_type TEXT NOT NULL,
  checksum_sha256 TEXT, -- base64
  -- Of an upload in parts: R2's id of the multipart upload, the size of each part except the last, and the parts that have
  -- arrived, as a JSON object from part number to ETag.
  multipart_id TEXT,
  part_size INTEGER CHECK ((part_size IS NULL) = (multipart_id IS NULL)),
  parts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(parts)),
  -- A JSON object from part number to the ETag and the SHA-256 (base64) that were recorded together: the checksum holds for that ETag
  -- only, and outlives a recording of the same ETag without one.
  part_checksums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(part_checksums)),
  -- The file that gets the content; whether the upload replaces earlier content of the file; and the revisions of the file
  -- that the client wants to replace, as a JSON array (null: any).
  file_id TEXT CHECK ((upload_type = 'file') = (file_id IS NOT NULL)),
  replaces INTEGER NOT NULL DEFAULT 0 CHECK (replaces IN (0, 1)),
  expected_revisions TEXT,
  -- Of a new version: its asset. Of a new asset: the properties, and from completion on the id.
  asset_id TEXT,
  asset_type TEXT
    CHECK (asset_type IS NULL OR (upload_type = 'game_asset' AND asset_type IN ('world', 'avatar', 'prop'))),
  name TEXT CHECK ((name IS NULL) = (asset_type IS NULL)),
  visibility TEXT CHECK (visibility IN ('public', 'private')) CHECK ((visibility IS NULL) = (asset_type IS NULL)),
  -- The notes of the version, and the page of a new asset as a JSON object. Null once the upload has ended.
  notes TEXT,
  page TEXT,
  -- The check of content before it is ready (docs/content-check.md). Set at completion, when a checker has to look at the
  -- content first. The upload stays 'completing' until the verdict.
  --   waiting: no verdict yet.   ready, failed: the verdict.
  check_state TEXT CHECK (check_state IN ('waiting', 'ready', 'failed')),
  check_began_at INTEGER CHECK ((check_state IS NULL) = (check_began_at IS NULL)),
  -- How many times the checker has been asked, and when it is asked again.
  check_attempts INTEGER NOT NULL DEFAULT 0,
  check_next_at INTEGER CHECK ((check_next_at IS NOT NULL) = (check_state IS 'waiting')),
  completion_id TEXT, -- of the completion that ended the upload; also the id of the version that it made
  failure_code TEXT CHECK ((failure_code IS NULL) = (failure IS NULL)), -- the error code of the answer
  failure TEXT CHECK ((state = 'failed') = (failure IS NOT NULL)), -- the reason, for the client
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  url_ttl INTEGER NOT NULL -- how long a URL to the object is valid: UPLOAD_URL_TTL at the start, in seconds
) STRICT, WITHOUT ROWID;

CREATE INDEX uploads_of_file ON uploads (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX uploads_open ON uploads (expires_at) WHERE state IN ('open', 'completing');
-- Ended uploads, which the job removes later.
CREATE INDEX uploads_ended ON uploads (expires_at) WHERE state IN ('completed', 'failed');
-- For erasing a user: uploads of files go with their files.
CREATE INDEX uploads_of_assets ON uploads (owner_id) WHERE upload_type = 'game_asset';
-- For the job: uploads whose checker is to be asked again, and how long the oldest has waited.
CREATE INDEX uploads_to_check ON uploads (check_next_at) WHERE check_state = 'waiting' AND state IN ('open', 'completing');
CREATE INDEX uploads_in_check ON uploads (check_began_at) WHERE check_state = 'waiting' AND state IN ('open', 'completing');

-- uploads: an open upload reserves its bytes from the start. A completed one leaves them to the file or version that it
-- made; a failed or removed one releases them.

-- Ended uploads are limited when one starts, never when one ends, so that accepted content is never rejected.
CREATE TRIGGER uploads_before_insert_limit_ended BEFORE INSERT ON uploads
WHEN EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id AND ended_uploads >= max_ended_uploads AND moving = 0)
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:ended_uploads'); END;

CREATE TRIGGER uploads_after_insert_charge AFTER INSERT ON uploads BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:an upload begins open')
    WHERE NEW.state <> 'open' AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id AND moving = 1);
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET open_uploads = open_uploads + 1, used_bytes = used_bytes + NEW.size_bytes
  WHERE user_id = NEW.owner_id AND moving = 0;
END;

CREATE TRIGGER uploads_after_update_end AFTER UPDATE OF state ON uploads
WHEN OLD.state IN ('open', 'completing') AND NEW.state IN ('completed', 'failed')
BEGIN
  UPDATE usage SET open_uploads = open_uploads - 1, ended_uploads = ended_uploads + 1,
    used_bytes = used_bytes - iif(NEW.state = 'failed', OLD.size_bytes, 0)
  WHERE user_id = OLD.owner_id;
END;

CREATE TRIGGER uploads_after_delete_release_open AFTER DELETE ON uploads WHEN OLD.state IN ('open', 'completing') BEGIN
  UPDATE usage SET open_uploads = open_uploads - 1, used_bytes = used_bytes - OLD.size_bytes
  WHERE user_id = OLD.owner_id AND moving = 0;
END;

CREATE TRIGGER uploads_after_delete_count_ended AFTER DELETE ON uploads WHEN OLD.state IN ('completed', 'failed') BEGIN
  UPDATE usage SET ended_uploads = ended_uploads - 1 WHERE user_id = OLD.owner_id AND moving = 0;
END;

CREATE TRIGGER uploads_before_update_keep_ended BEFORE UPDATE OF state ON uploads
WHEN OLD.state IN ('completed', 'failed') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:an ended upload stays ended'); END;

CREATE TRIGGER uploads_before_update_keep_size BEFORE UPDATE OF id, owner_id, size_bytes ON uploads
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.size_bytes IS NOT OLD.size_bytes
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:an upload keeps its owner and its size'); END;

-- An upload whose content waits for its verdict is completed by no statement without the verdict.
CREATE TRIGGER uploads_before_update_require_verdict BEFORE UPDATE OF state ON uploads
WHEN NEW.state = 'completed' AND OLD.check_state = 'waiting' AND NEW.check_state IS NOT 'ready'
BEGIN SELECT RAISE(ABORT, 'refused:UNAVAILABLE'); END;

CREATE TRIGGER uploads_before_update_keep_verdict BEFORE UPDATE OF check_state ON uploads
WHEN OLD.check_state IN ('ready', 'failed') AND NEW.check_state IS NOT OLD.check_state
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a verdict is final'); END;

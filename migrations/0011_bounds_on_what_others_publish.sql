-- Search looks for one trigram only, newest first, and compares the names that it finds one by one, so a page looks at a
-- bounded number of names whatever is in them (see src/assets/search.ts). Without positions and without the type,
-- the table holds nothing but which names have which trigram.
DROP TRIGGER listed_names_enter;
DROP TRIGGER listed_names_change;
DROP TRIGGER listed_names_leave;
DROP TABLE listed_names;
CREATE VIRTUAL TABLE listed_names USING fts5 (
  search_name, content = '', contentless_delete = 1, tokenize = 'trigram', detail = 'none'
);
INSERT INTO listed_names (rowid, search_name) SELECT number, search_name FROM game_assets WHERE listed = 1;

CREATE TRIGGER listed_names_enter AFTER INSERT ON game_assets WHEN NEW.listed = 1 BEGIN
  INSERT INTO listed_names (rowid, search_name) VALUES (NEW.number, NEW.search_name);
END;
CREATE TRIGGER listed_names_change AFTER UPDATE OF search_name, visibility, blocked, deleted_at ON game_assets
WHEN NEW.listed <> OLD.listed OR (NEW.listed = 1 AND NEW.search_name <> OLD.search_name) BEGIN
  DELETE FROM listed_names WHERE rowid = OLD.number;
  INSERT INTO listed_names (rowid, search_name) SELECT NEW.number, NEW.search_name WHERE NEW.listed = 1;
END;
CREATE TRIGGER listed_names_leave AFTER DELETE ON game_assets WHEN OLD.listed = 1 BEGIN
  DELETE FROM listed_names WHERE rowid = OLD.number;
END;

-- What one account can fill the database with is counted as its bytes and items are.
ALTER TABLE usage ADD COLUMN versions INTEGER NOT NULL DEFAULT 0 CHECK (versions >= 0);
ALTER TABLE usage ADD COLUMN max_versions INTEGER NOT NULL DEFAULT 100000;
ALTER TABLE usage ADD COLUMN public_assets INTEGER NOT NULL DEFAULT 0 CHECK (public_assets >= 0);
ALTER TABLE usage ADD COLUMN max_public_assets INTEGER NOT NULL DEFAULT 1000;
ALTER TABLE usage ADD COLUMN ended_uploads INTEGER NOT NULL DEFAULT 0 CHECK (ended_uploads >= 0);
ALTER TABLE usage ADD COLUMN max_ended_uploads INTEGER NOT NULL DEFAULT 10000;
ALTER TABLE usage ADD COLUMN idempotency_keys INTEGER NOT NULL DEFAULT 0 CHECK (idempotency_keys >= 0);
ALTER TABLE usage ADD COLUMN max_idempotency_keys INTEGER NOT NULL DEFAULT 10000;
UPDATE usage SET
  versions = (SELECT count(*) FROM game_assets JOIN asset_versions ON asset_id = game_assets.id
    WHERE owner_id = user_id),
  public_assets = (SELECT count(*) FROM game_assets
    WHERE owner_id = user_id AND visibility = 'public' AND deleted_at IS NULL),
  ended_uploads = (SELECT count(*) FROM uploads WHERE owner_id = user_id AND state IN ('completed', 'failed')),
  idempotency_keys = (SELECT count(*) FROM idempotency WHERE caller_id = user_id);

CREATE TRIGGER usage_within_versions AFTER UPDATE OF versions ON usage
WHEN NEW.versions > OLD.versions AND NEW.versions > NEW.max_versions
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:all_versions'); END;

CREATE TRIGGER usage_within_public_assets AFTER UPDATE OF public_assets ON usage
WHEN NEW.public_assets > OLD.public_assets AND NEW.public_assets > NEW.max_public_assets
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:public_assets'); END;

CREATE TRIGGER usage_within_idempotency_keys AFTER UPDATE OF idempotency_keys ON usage
WHEN NEW.idempotency_keys > OLD.idempotency_keys AND NEW.idempotency_keys > NEW.max_idempotency_keys
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:idempotency_keys'); END;

CREATE TRIGGER asset_versions_after_insert_count AFTER INSERT ON asset_versions BEGIN
  UPDATE usage SET versions = versions + 1
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = NEW.asset_id);
END;
CREATE TRIGGER asset_versions_after_delete_count AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET versions = versions - 1
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id);
END;

-- Public is what its owner made so, and has not deleted. A block changes nothing here, so that lifting one never meets
-- a limit.
CREATE TRIGGER game_assets_after_insert_count AFTER INSERT ON game_assets
WHEN NEW.visibility = 'public' AND NEW.deleted_at IS NULL BEGIN
  UPDATE usage SET public_assets = public_assets + 1 WHERE user_id = NEW.owner_id;
END;
CREATE TRIGGER game_assets_after_update_count AFTER UPDATE OF visibility, deleted_at ON game_assets
WHEN (NEW.visibility = 'public' AND NEW.deleted_at IS NULL) <> (OLD.visibility = 'public' AND OLD.deleted_at IS NULL)
BEGIN
  UPDATE usage SET public_assets = public_assets + iif(NEW.visibility = 'public' AND NEW.deleted_at IS NULL, 1, -1)
  WHERE user_id = NEW.owner_id;
END;
CREATE TRIGGER game_assets_after_delete_count AFTER DELETE ON game_assets
WHEN OLD.visibility = 'public' AND OLD.deleted_at IS NULL BEGIN
  UPDATE usage SET public_assets = public_assets - 1 WHERE user_id = OLD.owner_id;
END;

-- An ended upload is remembered for a time. The limit is asked when one begins, and never when one ends, so that no
-- content is refused that was let in.
CREATE TRIGGER uploads_before_insert_limit_ended BEFORE INSERT ON uploads
WHEN EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id AND ended_uploads >= max_ended_uploads)
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:ended_uploads'); END;
CREATE TRIGGER uploads_after_update_count_ended AFTER UPDATE OF state ON uploads
WHEN OLD.state IN ('open', 'completing') AND NEW.state IN ('completed', 'failed') BEGIN
  UPDATE usage SET ended_uploads = ended_uploads + 1 WHERE user_id = OLD.owner_id;
END;
CREATE TRIGGER uploads_after_delete_count_ended AFTER DELETE ON uploads
WHEN OLD.state IN ('completed', 'failed') BEGIN
  UPDATE usage SET ended_uploads = ended_uploads - 1 WHERE user_id = OLD.owner_id;
END;

CREATE TRIGGER idempotency_after_insert_count AFTER INSERT ON idempotency BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.caller_id);
  UPDATE usage SET idempotency_keys = idempotency_keys + 1 WHERE user_id = NEW.caller_id;
END;
CREATE TRIGGER idempotency_after_delete_count AFTER DELETE ON idempotency BEGIN
  UPDATE usage SET idempotency_keys = idempotency_keys - 1 WHERE user_id = OLD.caller_id;
END;

-- Whose file it is, so that a grantee gives up at once what one owner has shared with them.
DROP TRIGGER shares_keep_place;
ALTER TABLE shares ADD COLUMN owner_id TEXT NOT NULL DEFAULT '';
UPDATE shares SET owner_id = (SELECT owner_id FROM files WHERE files.id = file_id);
CREATE INDEX shares_between ON shares (grantee_id, owner_id) WHERE expired = 0;

CREATE TRIGGER shares_before_insert_owner BEFORE INSERT ON shares
WHEN NEW.owner_id IS NOT (SELECT owner_id FROM files WHERE id = NEW.file_id)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a share knows whose file it is of'); END;

CREATE TRIGGER shares_keep_place BEFORE UPDATE OF id, file_id, grantee_id, owner_id ON shares
WHEN NEW.id IS NOT OLD.id OR NEW.file_id IS NOT OLD.file_id OR NEW.grantee_id IS NOT OLD.grantee_id
  OR NEW.owner_id IS NOT OLD.owner_id
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a share stays with its file, its owner and its grantee'); END;

-- An expired share doesn't count towards its file's limit from when it is flagged: by the job, or by a sharing that would
-- not have room otherwise. It goes 30 days later.
ALTER TABLE files ADD COLUMN expired_share_count INTEGER NOT NULL DEFAULT 0 CHECK (expired_share_count >= 0);
UPDATE files SET expired_share_count = (SELECT count(*) FROM shares WHERE file_id = files.id AND expired = 1)
WHERE id IN (SELECT file_id FROM shares WHERE expired = 1);
CREATE INDEX shares_of_file_by_expiry ON shares (file_id, expired, expires_at);
CREATE INDEX shares_long_expired ON shares (expires_at) WHERE expired = 1;

CREATE TRIGGER shares_after_update_count_expired AFTER UPDATE OF expired ON shares WHEN NEW.expired <> OLD.expired BEGIN
  UPDATE files SET expired_share_count = expired_share_count + NEW.expired - OLD.expired WHERE id = NEW.file_id;
END;
CREATE TRIGGER shares_after_delete_count_expired AFTER DELETE ON shares WHEN OLD.expired = 1 BEGIN
  UPDATE files SET expired_share_count = expired_share_count - 1 WHERE id = OLD.file_id;
END;

-- Game assets, their versions and branches (specification §2.6, §2.7, §3.4, §4.5; decisions "Game assets").

ALTER TABLE usage ADD COLUMN assets INTEGER NOT NULL DEFAULT 0 CHECK (assets >= 0);
ALTER TABLE usage ADD COLUMN max_assets INTEGER NOT NULL DEFAULT 10000;

CREATE TRIGGER usage_within_assets AFTER UPDATE OF assets ON usage
WHEN NEW.assets > OLD.assets AND NEW.assets > NEW.max_assets
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:assets'); END;

CREATE TABLE game_assets (
  number INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of creation; how the table of names points here
  id TEXT NOT NULL UNIQUE,
  owner_id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('world', 'avatar', 'prop')),
  name TEXT NOT NULL CHECK (name <> ''),
  search_name TEXT NOT NULL, -- the name as search compares it: see src/assets/search-name.ts
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
  blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
  current_version INTEGER NOT NULL DEFAULT 0 CHECK (current_version >= 0),
  branched_from_asset_id TEXT, -- may outlive the asset that it names
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER, -- milliseconds
  purging INTEGER NOT NULL DEFAULT 0 CHECK (purging = 0 OR (purging = 1 AND deleted_at IS NOT NULL)),
  -- Whether anybody but the owner may know of it.
  listed INTEGER NOT NULL GENERATED ALWAYS AS (visibility = 'public' AND blocked = 0 AND deleted_at IS NULL) VIRTUAL
) STRICT;

CREATE UNIQUE INDEX game_assets_by_name ON game_assets (owner_id, name) WHERE deleted_at IS NULL;
-- Pages, newest first: of one type a range of the index, of all types a merge of the three.
CREATE INDEX game_assets_own ON game_assets (owner_id, type, id) WHERE deleted_at IS NULL;
CREATE INDEX game_assets_deleted ON game_assets (owner_id, type, id) WHERE deleted_at IS NOT NULL AND purging = 0;
CREATE INDEX game_assets_listed ON game_assets (type, id) WHERE listed = 1;
-- Search for one or two characters, which is too short for the table of names.
CREATE INDEX game_assets_by_initial ON game_assets (substr(search_name, 1, 1), type, id) WHERE listed = 1;
CREATE INDEX game_assets_by_two_initials ON game_assets (substr(search_name, 1, 2), type, id) WHERE listed = 1;
-- An asset's branches: those that everybody may see, and each user's others. Every live one is in one of the two.
CREATE INDEX branches_listed ON game_assets (branched_from_asset_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND listed = 1;
CREATE INDEX branches_unlisted ON game_assets (branched_from_asset_id, owner_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND listed = 0 AND deleted_at IS NULL;
-- For the job: what has been deleted for long enough, and what is being deleted for good.
CREATE INDEX game_assets_by_deletion ON game_assets (deleted_at) WHERE deleted_at IS NOT NULL AND purging = 0;
CREATE INDEX game_assets_purging ON game_assets (id) WHERE purging = 1;

CREATE TRIGGER game_assets_charge AFTER INSERT ON game_assets BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row') WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET assets = assets + 1 WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER game_assets_release AFTER DELETE ON game_assets BEGIN
  UPDATE usage SET assets = assets - 1 WHERE user_id = OLD.owner_id;
END;

CREATE TRIGGER game_assets_keep_identity BEFORE UPDATE OF number, id, owner_id, type, branched_from_asset_id ON game_assets
WHEN NEW.number IS NOT OLD.number OR NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.type IS NOT OLD.type
  OR NEW.branched_from_asset_id IS NOT OLD.branched_from_asset_id
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:an asset keeps its owner, type and source'); END;

-- The names of listed assets, in trigrams, so that any fragment of three characters finds them.
CREATE VIRTUAL TABLE listed_names USING fts5 (search_name, type, content = '', contentless_delete = 1, tokenize = 'trigram');

CREATE TRIGGER listed_names_enter AFTER INSERT ON game_assets WHEN NEW.listed = 1 BEGIN
  INSERT INTO listed_names (rowid, search_name, type) VALUES (NEW.number, NEW.search_name, NEW.type);
END;
CREATE TRIGGER listed_names_change AFTER UPDATE OF search_name, visibility, blocked, deleted_at ON game_assets
WHEN NEW.listed <> OLD.listed OR (NEW.listed = 1 AND NEW.search_name <> OLD.search_name) BEGIN
  DELETE FROM listed_names WHERE rowid = OLD.number;
  INSERT INTO listed_names (rowid, search_name, type)
    SELECT NEW.number, NEW.search_name, NEW.type WHERE NEW.listed = 1;
END;
CREATE TRIGGER listed_names_leave AFTER DELETE ON game_assets WHEN OLD.listed = 1 BEGIN
  DELETE FROM listed_names WHERE rowid = OLD.number;
END;

CREATE TABLE asset_versions (
  asset_id TEXT NOT NULL REFERENCES game_assets (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  id TEXT NOT NULL UNIQUE,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 1),
  mime_type TEXT NOT NULL,
  object_key TEXT NOT NULL, -- the content in R2, shared with branches and rollbacks
  branched_from_asset_id TEXT,
  branched_from_version INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, version),
  CHECK ((branched_from_asset_id IS NULL) = (branched_from_version IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX asset_versions_by_object ON asset_versions (object_key);

-- Numbers have no gaps and no repeats, whatever statement brings a version.
CREATE TRIGGER asset_versions_follow BEFORE INSERT ON asset_versions
WHEN NEW.version IS NOT (SELECT current_version + 1 FROM game_assets WHERE id = NEW.asset_id AND deleted_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a version follows the last of a live asset'); END;

CREATE TRIGGER asset_versions_refuse_garbage BEFORE INSERT ON asset_versions
WHEN EXISTS (SELECT 1 FROM garbage WHERE object_key = NEW.object_key)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:that content has been given up'); END;

-- The batch that completes an upload names the version in it; its bytes are reserved until then, so that no limit
-- is asked again about what was let in.
CREATE TRIGGER asset_versions_charge AFTER INSERT ON asset_versions BEGIN
  UPDATE game_assets SET current_version = NEW.version, updated_at = NEW.created_at WHERE id = NEW.asset_id;
  UPDATE usage SET used_bytes = used_bytes + NEW.size_bytes
    - coalesce((SELECT size_bytes FROM uploads WHERE id = NEW.object_key AND completion_id = NEW.id AND state = 'completed'), 0)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = NEW.asset_id);
END;

CREATE TRIGGER asset_versions_stay BEFORE UPDATE ON asset_versions
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a version never changes'); END;

CREATE TRIGGER asset_versions_leave_last BEFORE DELETE ON asset_versions
WHEN NOT EXISTS (SELECT 1 FROM game_assets WHERE id = OLD.asset_id AND purging = 1)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:versions go only with their asset'); END;

-- Content is given up with the last version that refers to it.
CREATE TRIGGER asset_versions_release AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET used_bytes = used_bytes - OLD.size_bytes
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id);
  INSERT INTO garbage (object_key, writable_until)
    SELECT OLD.object_key, coalesce((SELECT expires_at FROM uploads WHERE id = OLD.object_key), 0)
    WHERE NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key)
    ON CONFLICT (object_key) DO NOTHING;
END;

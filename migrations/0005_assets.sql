CREATE TABLE game_assets (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('world', 'avatar', 'prop')),
  name TEXT NOT NULL CHECK (name <> ''),
  search_name TEXT NOT NULL, -- the name as search compares it (src/platform/lib/text.ts)
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
  listed INTEGER NOT NULL DEFAULT 1 CHECK (listed IN (0, 1)), -- 0: out of the catalogue, even while it is public
  blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
  current_version INTEGER NOT NULL DEFAULT 0 CHECK (current_version >= 0),
  -- How many versions were deleted alone: it has current_version - deleted_versions.
  deleted_versions INTEGER NOT NULL DEFAULT 0,
  branched_from_asset_id TEXT, -- may outlive the asset that it names
  description TEXT NOT NULL DEFAULT '',
  tags TEXT NOT NULL DEFAULT '[]', -- a JSON array
  metadata TEXT NOT NULL DEFAULT '{}', -- a JSON object of the game's own
  -- The preview in R2. Its bytes count in the owner's quota.
  preview_key TEXT,
  preview_bytes INTEGER NOT NULL DEFAULT 0,
  preview_type TEXT, -- the MIME type of the preview
  preview_width INTEGER, -- in pixels
  preview_height INTEGER,
  -- How many users have it among their favorites, as of the last recount, and how often `favorites` was set.
  favorites INTEGER NOT NULL DEFAULT 0,
  recounts INTEGER NOT NULL DEFAULT 0,
  -- Rises with each change that its owner sees, except that of `favorites`. Statements raise it themselves.
  revision INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When it was last published, which a day of being private has to precede; null: never.
  public_since INTEGER,
  private_since INTEGER, -- when it last became private; null: it was never public
  published_at INTEGER GENERATED ALWAYS AS (iif(visibility = 'public', coalesce(public_since, created_at), NULL)) VIRTUAL,
  deleted_at INTEGER, -- milliseconds
  purging INTEGER NOT NULL DEFAULT 0 CHECK (purging = 0 OR (purging = 1 AND deleted_at IS NOT NULL)),
  -- While it is being purged: until when its content stays (CONTENT_GRACE_DAYS). Null: the content goes at once.
  kept_until INTEGER,
  -- Whether users other than the owner can see it.
  is_listed INTEGER NOT NULL
    GENERATED ALWAYS AS (visibility = 'public' AND blocked = 0 AND deleted_at IS NULL) VIRTUAL,
  -- Whether the catalogue shows it, unless its owner has been erased.
  is_in_catalogue INTEGER NOT NULL
    GENERATED ALWAYS AS (visibility = 'public' AND blocked = 0 AND deleted_at IS NULL AND listed = 1) VIRTUAL
) STRICT;

CREATE UNIQUE INDEX game_assets_by_name ON game_assets (owner_id, name) WHERE deleted_at IS NULL;
-- Pages, newest first: of one type a range of the index, of all types a merge of the three.
CREATE INDEX game_assets_own ON game_assets (owner_id, type, id) WHERE deleted_at IS NULL;
CREATE INDEX game_assets_deleted ON game_assets (owner_id, type, id) WHERE deleted_at IS NOT NULL AND purging = 0;
CREATE INDEX game_assets_listed ON game_assets (type, id) WHERE is_listed = 1;
-- An asset's branches for everybody, and each user's others. Every live branch is in one of the two.
CREATE INDEX branches_in_catalogue ON game_assets (branched_from_asset_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_in_catalogue = 1;
CREATE INDEX branches_elsewhere ON game_assets (branched_from_asset_id, owner_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_in_catalogue = 0 AND deleted_at IS NULL;
-- For the job: assets that were deleted long enough ago, and assets that are being purged.
CREATE INDEX game_assets_by_deletion ON game_assets (deleted_at) WHERE deleted_at IS NOT NULL AND purging = 0;
CREATE INDEX game_assets_purging ON game_assets (owner_id, id) WHERE purging = 1;

CREATE TABLE asset_versions (
  asset_id TEXT NOT NULL REFERENCES game_assets (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  id TEXT NOT NULL UNIQUE,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 1),
  mime_type TEXT NOT NULL,
  object_key TEXT NOT NULL, -- the content in R2, which branches and rollbacks share
  checksum_sha256 TEXT, -- base64, as the upload declared it; null: none was declared
  notes TEXT, -- null in a branch, and without any
  branched_from_asset_id TEXT,
  branched_from_version INTEGER CHECK ((branched_from_asset_id IS NULL) = (branched_from_version IS NULL)),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, version)
) STRICT, WITHOUT ROWID;

-- The versions of one content, those of one partition together: however many branches share a content, one look-up says
-- whether a version of its own partition does.
CREATE INDEX asset_versions_by_object ON asset_versions (object_key, substr(asset_id, 21, 3));

-- game_assets

-- An asset counts as public while its owner has it public and not deleted. A block changes nothing here, so that lifting
-- one never meets a limit.
CREATE TRIGGER game_assets_after_insert_count AFTER INSERT ON game_assets BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET assets = assets + 1,
    public_assets = public_assets + (NEW.visibility = 'public' AND NEW.deleted_at IS NULL)
  WHERE user_id = NEW.owner_id AND moving = 0;
END;

CREATE TRIGGER game_assets_after_update_count AFTER UPDATE OF visibility, deleted_at ON game_assets
WHEN (NEW.visibility = 'public' AND NEW.deleted_at IS NULL) <> (OLD.visibility = 'public' AND OLD.deleted_at IS NULL)
BEGIN
  UPDATE usage SET public_assets = public_assets + iif(NEW.visibility = 'public' AND NEW.deleted_at IS NULL, 1, -1)
  WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER game_assets_after_delete_count AFTER DELETE ON game_assets BEGIN
  UPDATE usage SET assets = assets - 1,
    public_assets = public_assets - (OLD.visibility = 'public' AND OLD.deleted_at IS NULL)
  WHERE user_id = OLD.owner_id AND moving = 0;
END;

CREATE TRIGGER game_assets_before_update_keep_identity
BEFORE UPDATE OF id, owner_id, type, branched_from_asset_id ON game_assets
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.type IS NOT OLD.type
  OR NEW.branched_from_asset_id IS NOT OLD.branched_from_asset_id
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:an asset keeps its owner, type and source'); END;

-- An asset that an erasure has reached, and the job has not removed yet, holds no name: an asset that takes its name
-- marks it for purging. Two triggers with one body, because a trigger of SQLite belongs to one event, and neither can
-- run after the statement: the unique index on the name refuses it before that.
CREATE TRIGGER game_assets_before_insert_free_name BEFORE INSERT ON game_assets
WHEN EXISTS (SELECT 1 FROM erasures WHERE user_id = NEW.owner_id)
BEGIN
  UPDATE game_assets SET purging = 1, deleted_at = NEW.created_at * 1000
  WHERE owner_id = NEW.owner_id AND name = NEW.name AND deleted_at IS NULL
    AND created_at <= (SELECT until FROM erasures WHERE user_id = NEW.owner_id);
END;

CREATE TRIGGER game_assets_before_update_free_name BEFORE UPDATE OF name, deleted_at ON game_assets
WHEN NEW.deleted_at IS NULL AND (NEW.name <> OLD.name OR OLD.deleted_at IS NOT NULL)
  AND EXISTS (SELECT 1 FROM erasures WHERE user_id = NEW.owner_id)
BEGIN
  UPDATE game_assets SET purging = 1, deleted_at = NEW.created_at * 1000
  WHERE owner_id = NEW.owner_id AND name = NEW.name AND deleted_at IS NULL
    AND created_at <= (SELECT until FROM erasures WHERE user_id = NEW.owner_id);
END;

-- A block that a branch takes over from its source comes with the moderator and the reason.
CREATE TRIGGER game_assets_after_insert_block AFTER INSERT ON game_assets WHEN NEW.blocked = 1 BEGIN
  INSERT INTO blocks (kind, id, blocked_at, blocked_by, reason) VALUES ('assets', NEW.id, unixepoch(),
    (SELECT blocked_by FROM blocks WHERE kind = 'assets' AND id = NEW.branched_from_asset_id),
    (SELECT reason FROM blocks WHERE kind = 'assets' AND id = NEW.branched_from_asset_id));
END;

CREATE TRIGGER game_assets_after_update_block AFTER UPDATE OF blocked ON game_assets
WHEN NEW.blocked = 1 AND OLD.blocked = 0 BEGIN
  INSERT INTO blocks (kind, id, blocked_at) VALUES ('assets', NEW.id, unixepoch());
END;

CREATE TRIGGER game_assets_after_update_unblock AFTER UPDATE OF blocked ON game_assets
WHEN NEW.blocked = 0 AND OLD.blocked = 1 BEGIN
  DELETE FROM blocks WHERE kind = 'assets' AND id = OLD.id;
END;

CREATE TRIGGER game_assets_after_delete_unblock AFTER DELETE ON game_assets WHEN OLD.blocked = 1 BEGIN
  DELETE FROM blocks WHERE kind = 'assets' AND id = OLD.id;
END;

-- The bytes of a preview are charged with the change that sets it, and released when it goes.
CREATE TRIGGER game_assets_after_update_charge_preview AFTER UPDATE OF preview_key ON game_assets
WHEN NEW.preview_key IS NOT OLD.preview_key BEGIN
  UPDATE usage SET used_bytes = used_bytes + NEW.preview_bytes - OLD.preview_bytes WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER game_assets_before_update_refuse_garbage BEFORE UPDATE OF preview_key ON game_assets
WHEN NEW.preview_key IS NOT NULL AND EXISTS (SELECT 1 FROM garbage WHERE object_key = NEW.preview_key)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:that content is queued for deletion'); END;

-- The preview of a purged asset stays as long as the content of its versions does (asset_versions_after_delete_release).
CREATE TRIGGER game_assets_after_delete_release_preview AFTER DELETE ON game_assets
WHEN OLD.preview_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = OLD.owner_id AND moving = 1) BEGIN
  UPDATE usage SET used_bytes = used_bytes - OLD.preview_bytes WHERE user_id = OLD.owner_id;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for, kept_bytes)
    SELECT OLD.preview_key, 0, max(coalesce(OLD.deleted_at / 1000, unixepoch()), OLD.created_at),
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, OLD.owner_id), OLD.preview_bytes
    FROM (SELECT iif(OLD.created_at > coalesce((SELECT until FROM erasures WHERE user_id = OLD.owner_id), -1),
      OLD.kept_until, NULL) AS kept)
    WHERE true ON CONFLICT (object_key) DO NOTHING;
END;

-- asset_versions: numbers have no gaps and no repeats, whatever statement inserts a version. The mover inserts an asset with
-- its current version, and its versions afterwards.

CREATE TRIGGER asset_versions_before_insert_check_number BEFORE INSERT ON asset_versions
WHEN NEW.version IS NOT (SELECT current_version + 1 FROM game_assets WHERE id = NEW.asset_id AND deleted_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM game_assets JOIN usage ON user_id = owner_id
    WHERE id = NEW.asset_id AND moving = 1 AND NEW.version <= current_version)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a version follows the last of a live asset'); END;

-- Content of a version that waits in the queue, and is not being deleted yet, may get a further version.
CREATE TRIGGER asset_versions_before_insert_refuse_garbage BEFORE INSERT ON asset_versions
WHEN EXISTS (SELECT 1 FROM garbage WHERE object_key = NEW.object_key AND (deleting = 1 OR is_version = 0))
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:that content is queued for deletion'); END;

-- Content counts once for each asset: a rollback shares it, and a branch counts it again. The batch that completes an
-- upload gives the version the upload's completion_id as its id. This moves the bytes from the reservation to the
-- version, so that content which was accepted at the start is never rejected at the end.
CREATE TRIGGER asset_versions_after_insert_charge AFTER INSERT ON asset_versions BEGIN
  UPDATE game_assets SET current_version = NEW.version, updated_at = NEW.created_at, revision = revision + 1
  WHERE id = NEW.asset_id AND current_version < NEW.version;
  UPDATE usage SET versions = versions + 1, used_bytes = used_bytes
    + iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = NEW.object_key
        AND substr(asset_id, 21, 3) = substr(NEW.asset_id, 21, 3) AND asset_id = NEW.asset_id AND version < NEW.version),
        0, NEW.size_bytes)
    - coalesce((SELECT size_bytes FROM uploads
        WHERE id = NEW.object_key AND completion_id = NEW.id AND state = 'completed'), 0)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = NEW.asset_id) AND moving = 0;
  -- A version of the content's own partition keeps the content: it waits no longer.
  DELETE FROM garbage
  WHERE object_key = NEW.object_key AND substr(NEW.object_key, 21, 3) = substr(NEW.asset_id, 21, 3);
END;

CREATE TRIGGER asset_versions_before_update_refuse BEFORE UPDATE ON asset_versions
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a version never changes'); END;

-- Versions go with their asset, or alone: any but the current one.
CREATE TRIGGER asset_versions_before_delete_check_current BEFORE DELETE ON asset_versions
WHEN NOT EXISTS (SELECT 1 FROM game_assets WHERE id = OLD.asset_id AND (purging = 1 OR current_version <> OLD.version))
  AND NOT EXISTS (SELECT 1 FROM game_assets JOIN usage ON user_id = owner_id WHERE id = OLD.asset_id AND moving = 1)
BEGIN SELECT RAISE(ABORT, 'refused:VERSION_IS_CURRENT'); END;

-- Releases the bytes with the last version of the asset that has the content. The mover's deletions queue nothing: it moves
-- the garbage of its partitions.
--   The first INSERT queues the content with the last version of its own partition. The content stays until `kept_until` of the
-- asset, unless the asset's owner was erased. A batch that deletes a version alone sets `kept_until` before and takes it back
-- afterwards.
--   The second INSERT queues the marker (src/features/assets/markers.ts) of a version of another partition, with the last version
-- of its asset that has the content. The marker stays as long, and counts as many bytes: it keeps the content.
--   The last UPDATE has the job check the content again, if its partition is open here, but not before its own `kept_until`.
CREATE TRIGGER asset_versions_after_delete_release AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET versions = versions - 1, used_bytes = used_bytes
    - iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id), 0, OLD.size_bytes)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id) AND moving = 0;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, is_version, next_at, kept_until, kept_for, kept_bytes)
    SELECT OLD.object_key, coalesce((SELECT expires_at FROM uploads WHERE id = OLD.object_key), 0), since, 1,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id), OLD.size_bytes
    FROM (SELECT owner_id, max(coalesce(deleted_at / 1000, unixepoch()), created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id
        AND (purging = 1 OR (SELECT moving FROM usage WHERE user_id = owner_id) IS NOT 1))
    WHERE substr(OLD.object_key, 21, 3) = substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_versions
        WHERE object_key = OLD.object_key AND substr(asset_id, 21, 3) = substr(OLD.object_key, 21, 3))
    ON CONFLICT (object_key) DO NOTHING;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for, kept_bytes)
    SELECT 'refs/' || OLD.object_key || '/' || OLD.asset_id, 0, since,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id), OLD.size_bytes
    FROM (SELECT owner_id, max(coalesce(deleted_at / 1000, unixepoch()), created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id
        AND (purging = 1 OR (SELECT moving FROM usage WHERE user_id = owner_id) IS NOT 1))
    WHERE substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id)
    ON CONFLICT (object_key) DO NOTHING;
  UPDATE garbage SET next_at = coalesce(kept_until, 0)
  WHERE object_key = OLD.object_key AND substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3) AND is_version = 1
    AND NOT EXISTS (SELECT 1 FROM partitions WHERE partition = substr(OLD.object_key, 21, 3) AND state <> 'open');
END;

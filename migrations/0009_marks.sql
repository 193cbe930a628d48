-- Emptying a trash and erasing a user are one row's mark in the request; the job removes (decisions, "Trash" and "For
-- those who run it").

-- All of the owner's that was deleted by then is being deleted for good. What is deleted later has a later time,
-- whatever the clocks say. The row goes when nothing is left under it.
CREATE TABLE trash_emptied (
  owner_id TEXT NOT NULL PRIMARY KEY,
  emptied_at INTEGER NOT NULL -- milliseconds
) STRICT, WITHOUT ROWID;

-- `until` of an erasure: everything that the user made by then is erased. What is made later has a later created_at,
-- whatever the clocks say. The row goes when nothing is left, and the inbox has been erased.
ALTER TABLE erasures ADD COLUMN inbox_erased INTEGER NOT NULL DEFAULT 0 CHECK (inbox_erased IN (0, 1));

-- Its id, which sorts by time: the inbox remembers the last, and is erased once for each.
ALTER TABLE erasures ADD COLUMN mark TEXT NOT NULL DEFAULT '';

-- An erased asset holds no name.
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

-- Pages leave out what is blocked, so that strangers read past none of it; its owner's page merges it in.
DROP INDEX files_by_name;
DROP INDEX files_by_created_at;
DROP INDEX files_by_size_bytes;
CREATE INDEX files_by_name ON files (owner_id, parent_id, asset_type, name, id) WHERE trashed_at IS NULL AND blocked = 0;
CREATE INDEX files_by_created_at ON files (owner_id, parent_id, asset_type, created_at, id) WHERE trashed_at IS NULL AND blocked = 0;
CREATE INDEX files_by_size_bytes ON files (owner_id, parent_id, asset_type, size_bytes, id) WHERE trashed_at IS NULL AND blocked = 0;
CREATE INDEX files_blocked_inside ON files (owner_id, parent_id, asset_type, created_at, id) WHERE trashed_at IS NULL AND blocked = 1;

-- Whether an owner has anything that is blocked: whoever has not need not ask it of a path.
CREATE INDEX files_blocked ON files (owner_id) WHERE blocked = 1;

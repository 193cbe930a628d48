-- Files and folders.
CREATE TABLE files (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  -- Null: root level. No foreign key: it would scan at each purge, and the parent may be gone before the child.
  parent_id TEXT,
  name TEXT NOT NULL COLLATE NOCASE,
  asset_type TEXT NOT NULL CHECK (asset_type IN ('folder', 'file', 'profile_pic', 'emote', 'chat_attachment')),
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0) CHECK (asset_type <> 'folder' OR size_bytes = 0),
  mime_type TEXT CHECK ((asset_type = 'folder') = (mime_type IS NULL)),
  processing_state TEXT CHECK (processing_state IN ('pending', 'processing', 'ready', 'failed'))
    CHECK ((asset_type = 'folder') = (processing_state IS NULL)),
  -- The content in R2; null until an upload has completed.
  object_key TEXT CHECK (object_key IS NOT NULL OR processing_state IS NOT 'ready'),
  -- The bytes that the file counts in its owner's quota. An upload's reservation holds the bytes until the file is ready.
  charged_bytes INTEGER NOT NULL GENERATED ALWAYS AS (iif(processing_state IS 'ready', size_bytes, 0)) VIRTUAL,
  is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
  blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
  revision INTEGER NOT NULL DEFAULT 1,
  share_count INTEGER NOT NULL DEFAULT 0 CHECK (share_count >= 0), -- expired ones included
  -- The flagged ones (shares.expired), which no longer count towards the limit of the file.
  expired_share_count INTEGER NOT NULL DEFAULT 0 CHECK (expired_share_count >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  trashed_at INTEGER, -- milliseconds; set on the item that was deleted, never on the items below it
  purging INTEGER NOT NULL DEFAULT 0 CHECK (purging = 0 OR (purging = 1 AND trashed_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- A page of a folder in three sorts: with a type filter one range of an index, without it a merge over the five types.
-- (Measured against six plain indexes: four rows fewer written by each change, five more read for a page.) They leave
-- out blocked rows, so that a stranger's page reads none.
CREATE INDEX files_by_name ON files (owner_id, parent_id, asset_type, name, id) WHERE trashed_at IS NULL AND blocked = 0;
CREATE INDEX files_by_created_at ON files (owner_id, parent_id, asset_type, created_at, id)
  WHERE trashed_at IS NULL AND blocked = 0;
CREATE INDEX files_by_size_bytes ON files (owner_id, parent_id, asset_type, size_bytes, id)
  WHERE trashed_at IS NULL AND blocked = 0;
-- The owner's page merges the blocked rows in, in the order of the page, with and without a type filter.
CREATE INDEX files_blocked_by_name ON files (owner_id, parent_id, name, id) WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_created_at ON files (owner_id, parent_id, created_at, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_size_bytes ON files (owner_id, parent_id, size_bytes, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_type_and_name ON files (owner_id, parent_id, asset_type, name, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_type_and_created_at ON files (owner_id, parent_id, asset_type, created_at, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_type_and_size_bytes ON files (owner_id, parent_id, asset_type, size_bytes, id)
  WHERE trashed_at IS NULL AND blocked = 1;
-- Whether an owner has any blocked item: most owners have none, so their paths need no walk for it.
CREATE INDEX files_blocked ON files (owner_id) WHERE blocked = 1;
-- The folders below a folder, those in the trash included: a move computes the new depth from them.
CREATE INDEX folders_by_parent ON files (parent_id) WHERE asset_type = 'folder';
-- An owner's trash, most recent first.
CREATE INDEX files_in_trash ON files (owner_id, trashed_at, id) WHERE trashed_at IS NOT NULL AND purging = 0;
-- For the job: items that have been in the trash for long enough, and items that are being purged.
CREATE INDEX files_by_time_in_trash ON files (trashed_at) WHERE trashed_at IS NOT NULL AND purging = 0;
CREATE INDEX files_purging ON files (owner_id, id) WHERE purging = 1;
-- Items in the trash whose folder a purge removes. They stay, and take over a block of the folder. The purge reads only items
-- that are not blocked yet.
CREATE INDEX files_trashed_inside ON files (parent_id) WHERE trashed_at IS NOT NULL AND purging = 0 AND blocked = 0;

CREATE TRIGGER files_after_insert_charge AFTER INSERT ON files BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id);
  UPDATE usage SET items = items + 1, used_bytes = used_bytes + NEW.charged_bytes
  WHERE user_id = NEW.owner_id AND moving = 0;
END;

-- The batch that completes an upload sets the file's object_key to the upload's id. This moves the bytes from the
-- reservation to the file in one step, so that content which was accepted at the start is never rejected at the end,
-- even when an operator has lowered the limit meanwhile.
CREATE TRIGGER files_after_update_charge AFTER UPDATE OF size_bytes, processing_state, object_key ON files
WHEN NEW.object_key IS NOT OLD.object_key OR NEW.charged_bytes <> OLD.charged_bytes
BEGIN
  UPDATE usage SET used_bytes = used_bytes + NEW.charged_bytes - OLD.charged_bytes
    - iif(NEW.object_key IS NOT OLD.object_key,
        coalesce((SELECT size_bytes FROM uploads
          WHERE id = NEW.object_key AND file_id = NEW.id AND state = 'completed'), 0), 0)
  WHERE user_id = NEW.owner_id;
END;

CREATE TRIGGER files_after_delete_release AFTER DELETE ON files BEGIN
  UPDATE usage SET items = items - 1, used_bytes = used_bytes - OLD.charged_bytes WHERE user_id = OLD.owner_id AND moving = 0;
END;

CREATE TRIGGER files_before_update_keep_owner BEFORE UPDATE OF id, owner_id ON files
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:an item never changes its owner'); END;

CREATE TRIGGER files_before_update_refuse_garbage BEFORE UPDATE OF object_key ON files
WHEN NEW.object_key IS NOT NULL AND EXISTS (SELECT 1 FROM garbage WHERE object_key = NEW.object_key)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:that content is queued for deletion'); END;

-- A block that an item takes over from the folder above it comes with the moderator and the reason. The statement that
-- blocks an item for a moderator writes its own into the row that this trigger makes.
CREATE TRIGGER files_after_update_block AFTER UPDATE OF blocked ON files WHEN NEW.blocked = 1 AND OLD.blocked = 0 BEGIN
  INSERT INTO blocks (kind, id, blocked_at, blocked_by, reason) VALUES ('files', NEW.id, unixepoch(),
    (SELECT blocked_by FROM blocks WHERE kind = 'files' AND id = OLD.parent_id),
    (SELECT reason FROM blocks WHERE kind = 'files' AND id = OLD.parent_id));
END;

CREATE TRIGGER files_after_update_unblock AFTER UPDATE OF blocked ON files WHEN NEW.blocked = 0 AND OLD.blocked = 1 BEGIN
  DELETE FROM blocks WHERE kind = 'files' AND id = OLD.id;
END;

CREATE TRIGGER files_after_delete_unblock AFTER DELETE ON files WHEN OLD.blocked = 1 BEGIN
  DELETE FROM blocks WHERE kind = 'files' AND id = OLD.id;
END;

-- A trash that was emptied: every item of the owner's with `trashed_at` up to `emptied_at` is being purged. Items that are
-- deleted afterwards get a later time, even if clocks differ. The job removes the row when no such item is left.
CREATE TABLE trash_emptied (
  owner_id TEXT NOT NULL PRIMARY KEY,
  emptied_at INTEGER NOT NULL -- milliseconds
) STRICT, WITHOUT ROWID;

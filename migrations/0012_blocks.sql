-- Who blocked what, when and why (decisions, "For those who run it"). The column `blocked` of the thing itself decides;
-- the triggers keep a row here exactly as long as it is set.
CREATE TABLE blocks (
  kind TEXT NOT NULL CHECK (kind IN ('files', 'assets')),
  id TEXT NOT NULL, -- of the file or the asset
  blocked_at INTEGER NOT NULL,
  blocked_by TEXT, -- the moderator; null: the block came along from somewhere else
  reason TEXT,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocks_newest ON blocks (kind, blocked_at, id);

INSERT INTO blocks (kind, id, blocked_at) SELECT 'files', id, unixepoch() FROM files WHERE blocked = 1;
INSERT INTO blocks (kind, id, blocked_at) SELECT 'assets', id, unixepoch() FROM game_assets WHERE blocked = 1;

-- A block that comes from the folder right above, or from the asset that was branched, comes with its moderator and reason.
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

-- An owner's page merges what is blocked in, in the order of the page, with and without the type. Rows that are not
-- blocked are in none of these.
CREATE INDEX files_blocked_by_name ON files (owner_id, parent_id, name, id) WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_created_at ON files (owner_id, parent_id, created_at, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_size_bytes ON files (owner_id, parent_id, size_bytes, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_type_and_name ON files (owner_id, parent_id, asset_type, name, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_type_and_size_bytes ON files (owner_id, parent_id, asset_type, size_bytes, id)
  WHERE trashed_at IS NULL AND blocked = 1;

-- What a purge still has to block: it looks for these again and again, and not for those that it has blocked.
DROP INDEX files_trashed_inside;
CREATE INDEX files_trashed_inside ON files (parent_id) WHERE trashed_at IS NOT NULL AND purging = 0 AND blocked = 0;

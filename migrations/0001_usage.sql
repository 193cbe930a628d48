-- Ids are UUIDv7 in text (src/platform/db/id.ts). User ids are the identity provider's. Characters 21 to 23 of an id are the
-- partition of its owner, three hexadecimal digits. Times are Unix seconds unless a comment says milliseconds. Booleans are 0
-- and 1. Each file has a table, its indexes and its triggers; schema.sql has all of them as they are together.

-- One row for each user who has created anything: the counters and the limits. Only triggers change the counters.
-- Each batch that charges a user writes the limits of today's configuration first (src/features/quota/usage.ts), because a
-- trigger can't read a variable.
CREATE TABLE usage (
  user_id TEXT NOT NULL PRIMARY KEY,
  partition TEXT NOT NULL, -- the user's, three hexadecimal digits: the mover finds users by it
  used_bytes INTEGER NOT NULL DEFAULT 0 CHECK (used_bytes >= 0),
  limit_bytes INTEGER CHECK (limit_bytes >= 0), -- set by an operator; null: the default
  default_limit_bytes INTEGER NOT NULL,
  items INTEGER NOT NULL DEFAULT 0 CHECK (items >= 0), -- files and folders, those in the trash included
  max_items INTEGER NOT NULL,
  assets INTEGER NOT NULL DEFAULT 0 CHECK (assets >= 0), -- deleted ones included, until they are purged
  max_assets INTEGER NOT NULL,
  public_assets INTEGER NOT NULL DEFAULT 0 CHECK (public_assets >= 0), -- blocked ones included
  max_public_assets INTEGER NOT NULL,
  versions INTEGER NOT NULL DEFAULT 0 CHECK (versions >= 0), -- of all assets together
  max_versions INTEGER NOT NULL,
  open_uploads INTEGER NOT NULL DEFAULT 0 CHECK (open_uploads >= 0),
  -- Keys in `garbage` of uploads that did not complete, which a URL may still write. They count with the open uploads.
  writable_keys INTEGER NOT NULL DEFAULT 0 CHECK (writable_keys >= 0),
  max_open_uploads INTEGER NOT NULL,
  ended_uploads INTEGER NOT NULL DEFAULT 0 CHECK (ended_uploads >= 0), -- remembered for a time
  max_ended_uploads INTEGER NOT NULL,
  idempotency_keys INTEGER NOT NULL DEFAULT 0 CHECK (idempotency_keys >= 0),
  max_idempotency_keys INTEGER NOT NULL,
  favorites INTEGER NOT NULL DEFAULT 0 CHECK (favorites >= 0),
  max_favorites INTEGER NOT NULL DEFAULT 1000,
  mutes INTEGER NOT NULL DEFAULT 0 CHECK (mutes >= 0), -- the users whom the user has muted
  max_mutes INTEGER NOT NULL DEFAULT 1000,
  -- Content that waits out its grace (CONTENT_GRACE_DAYS). The quota is a limit for it, too: otherwise a user who replaces content
  -- again and again fills the bucket without a bound.
  kept_bytes INTEGER NOT NULL DEFAULT 0 CHECK (kept_bytes >= 0),
  -- Set while triggers leave the counters alone: the mover copies the user's rows to this database or removes them from it, or
  -- a recount writes the counters.
  moving INTEGER NOT NULL DEFAULT 0 CHECK (moving IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_partition ON usage (partition);

-- Triggers refuse a statement, and its whole batch, by RAISE(ABORT, 'refused:CODE') or 'refused:CODE:detail'. CODE is an error
-- code of src/platform/errors.ts, with which src/platform/db/session.ts answers the request. The detail names the limit of
-- LIMIT_REACHED; of QUOTA_EXCEEDED it is the bytes in use, the limit, and the bytes that were needed. After INTERNAL, the detail names, for the log, the rule of the database that the code has broken. A trigger's name
-- is <table>_<timing>_<purpose>.
--   Of several triggers of a table for the same event, SQLite runs the one that was created last first. So a batch that exceeds
-- several limits at once is answered with the one that comes last here.
--   While `moving` of a user is set, the user's rows are inserted and deleted without being counted or limited: the mover copies
-- and removes the user's row of `usage` with its counters.
--
-- No statement can exceed a limit, however many run at once. Only a growing counter is checked, so a user above a lowered limit can
-- still delete.

CREATE TRIGGER usage_after_update_limit_bytes AFTER UPDATE OF used_bytes ON usage
WHEN NEW.moving = 0 AND NEW.used_bytes > OLD.used_bytes AND NEW.used_bytes > coalesce(NEW.limit_bytes, NEW.default_limit_bytes)
BEGIN
  SELECT RAISE(ABORT, 'refused:QUOTA_EXCEEDED:' || OLD.used_bytes || ' ' || coalesce(NEW.limit_bytes, NEW.default_limit_bytes)
    || ' ' || (NEW.used_bytes - OLD.used_bytes));
END;

CREATE TRIGGER usage_after_update_limit_items AFTER UPDATE OF items ON usage
WHEN NEW.moving = 0 AND NEW.items > OLD.items AND NEW.items > NEW.max_items
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:items'); END;

CREATE TRIGGER usage_after_update_limit_assets AFTER UPDATE OF assets ON usage
WHEN NEW.moving = 0 AND NEW.assets > OLD.assets AND NEW.assets > NEW.max_assets
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:assets'); END;

-- Writable keys of ended uploads count here too, but only the start of an upload is rejected, never its end.
CREATE TRIGGER usage_after_update_limit_open_uploads AFTER UPDATE OF open_uploads ON usage
WHEN NEW.moving = 0 AND NEW.open_uploads > OLD.open_uploads AND NEW.open_uploads + NEW.writable_keys > NEW.max_open_uploads
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:open_uploads'); END;

CREATE TRIGGER usage_after_update_limit_versions AFTER UPDATE OF versions ON usage
WHEN NEW.moving = 0 AND NEW.versions > OLD.versions AND NEW.versions > NEW.max_versions
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:all_versions'); END;

CREATE TRIGGER usage_after_update_limit_public_assets AFTER UPDATE OF public_assets ON usage
WHEN NEW.moving = 0 AND NEW.public_assets > OLD.public_assets AND NEW.public_assets > NEW.max_public_assets
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:public_assets'); END;

CREATE TRIGGER usage_after_update_limit_idempotency_keys AFTER UPDATE OF idempotency_keys ON usage
WHEN NEW.moving = 0 AND NEW.idempotency_keys > OLD.idempotency_keys AND NEW.idempotency_keys > NEW.max_idempotency_keys
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:idempotency_keys'); END;

CREATE TRIGGER usage_after_update_limit_favorites AFTER UPDATE OF favorites ON usage
WHEN NEW.moving = 0 AND NEW.favorites > OLD.favorites AND NEW.favorites > NEW.max_favorites
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:favorites'); END;

CREATE TRIGGER usage_after_update_limit_mutes AFTER UPDATE OF mutes ON usage
WHEN NEW.moving = 0 AND NEW.mutes > OLD.mutes AND NEW.mutes > NEW.max_mutes
BEGIN SELECT RAISE(ABORT, 'refused:LIMIT_REACHED:mutes'); END;

-- An erased account leaves no user id in the garbage list, and a later account of the same user id begins at zero.
CREATE TRIGGER usage_after_delete_release_keys AFTER DELETE ON usage WHEN OLD.writable_keys > 0
BEGIN UPDATE garbage SET owner_id = NULL WHERE owner_id = OLD.user_id; END;

-- Triggers: limits, counters, and changes that no statement may make. Named <table>_<timing>_<purpose>.
--
-- A trigger refuses a statement, and its whole batch, by RAISE(ABORT, 'refused:CODE') or 'refused:CODE:detail'. CODE is
-- an error code of src/platform/errors.ts, which src/platform/db/session.ts makes of the error of D1. The detail names the limit of
-- LIMIT_REACHED. After INTERNAL, the detail names, for the log, the rule of the database that the code has broken.
--
-- Of several triggers of a table for the same event, SQLite runs the one that was created last first. So a batch that
-- exceeds several limits at once is answered with the one that comes last here.
--
-- While `moving` of a user is set, the user's rows are inserted and deleted without being counted or limited: the mover copies
-- and removes the user's row of `usage` with its counters.

-- usage: no statement can exceed a limit, however many run at once. Only a growing counter is checked, so a user above a
-- lowered limit can still delete.

CREATE TRIGGER usage_after_update_limit_bytes AFTER UPDATE OF used_bytes ON usage
WHEN NEW.moving = 0 AND NEW.used_bytes > OLD.used_bytes AND NEW.used_bytes > coalesce(NEW.limit_bytes, NEW.default_limit_bytes)
BEGIN SELECT RAISE(ABORT, 'refused:QUOTA_EXCEEDED'); END;

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

-- An erased account leaves no user id in the garbage list, and a later account of the same user id begins at zero.
CREATE TRIGGER usage_after_delete_release_keys AFTER DELETE ON usage WHEN OLD.writable_keys > 0
BEGIN UPDATE garbage SET owner_id = NULL WHERE owner_id = OLD.user_id; END;

-- files

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

-- shares

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
BEFORE UPDATE OF number, id, owner_id, type, branched_from_asset_id ON game_assets
WHEN NEW.number IS NOT OLD.number OR NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.type IS NOT OLD.type
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
  UPDATE game_assets SET current_version = NEW.version, updated_at = NEW.created_at
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

CREATE TRIGGER asset_versions_before_delete_check_purging BEFORE DELETE ON asset_versions
WHEN NOT EXISTS (SELECT 1 FROM game_assets WHERE id = OLD.asset_id AND purging = 1)
  AND NOT EXISTS (SELECT 1 FROM game_assets JOIN usage ON user_id = owner_id WHERE id = OLD.asset_id AND moving = 1)
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:versions go only with their asset'); END;

-- Releases the bytes with the last version of the asset that has the content. Only versions of an asset that is being purged
-- queue an object: the mover removes other versions, and moves the garbage of its partitions.
--   The first INSERT queues the content with the last version of its own partition. The content stays until `kept_until` of the
-- asset, unless the asset's owner was erased.
--   The second INSERT queues the marker (src/platform/shards/markers.ts) of a version of another partition, with the last version
-- of its asset that has the content. The marker stays as long.
--   The last UPDATE has the job check the content again, if its partition is open here, but not before its own `kept_until`.
CREATE TRIGGER asset_versions_after_delete_release AFTER DELETE ON asset_versions BEGIN
  UPDATE usage SET versions = versions - 1, used_bytes = used_bytes
    - iif(EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id), 0, OLD.size_bytes)
  WHERE user_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id) AND moving = 0;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, is_version, next_at, kept_until, kept_for)
    SELECT OLD.object_key, coalesce((SELECT expires_at FROM uploads WHERE id = OLD.object_key), 0), since, 1,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id)
    FROM (SELECT owner_id, max(deleted_at / 1000, created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id AND purging = 1)
    WHERE substr(OLD.object_key, 21, 3) = substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_versions
        WHERE object_key = OLD.object_key AND substr(asset_id, 21, 3) = substr(OLD.object_key, 21, 3))
    ON CONFLICT (object_key) DO NOTHING;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for)
    SELECT 'refs/' || OLD.object_key || '/' || OLD.asset_id, 0, since,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id)
    FROM (SELECT owner_id, max(deleted_at / 1000, created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id AND purging = 1)
    WHERE substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id)
    ON CONFLICT (object_key) DO NOTHING;
  UPDATE garbage SET next_at = coalesce(kept_until, 0)
  WHERE object_key = OLD.object_key AND substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3) AND is_version = 1
    AND NOT EXISTS (SELECT 1 FROM partitions WHERE partition = substr(OLD.object_key, 21, 3) AND state <> 'open');
END;

-- garbage: a key can be written as long as the last URL to it is valid. Until then the key of an upload that did not
-- complete counts with its owner's open uploads. In a trigger, so that it holds for every statement that adds a key.

CREATE TRIGGER garbage_after_insert_count AFTER INSERT ON garbage
WHEN NEW.writable_until > coalesce(NEW.enqueued_at, unixepoch()) BEGIN
  UPDATE garbage SET
    writable_until = min(writable_until, coalesce(NEW.enqueued_at, unixepoch())
      + coalesce((SELECT url_ttl FROM uploads WHERE id = NEW.object_key), 0)),
    owner_id = (SELECT owner_id FROM uploads WHERE id = NEW.object_key AND state <> 'completed')
  WHERE object_key = NEW.object_key;
END;

-- The mover inserts a row of garbage without its owner and its times, and gives it these by an UPDATE.
CREATE TRIGGER garbage_after_update_count AFTER UPDATE OF owner_id ON garbage
WHEN (NEW.owner_id IS NULL) <> (OLD.owner_id IS NULL) BEGIN
  UPDATE usage SET writable_keys = writable_keys + iif(OLD.owner_id IS NULL, 1, -1)
  WHERE user_id = coalesce(NEW.owner_id, OLD.owner_id) AND moving = 0;
END;

CREATE TRIGGER garbage_after_delete_count AFTER DELETE ON garbage WHEN OLD.owner_id IS NOT NULL
BEGIN UPDATE usage SET writable_keys = writable_keys - 1 WHERE user_id = OLD.owner_id AND moving = 0; END;

-- idempotency

CREATE TRIGGER idempotency_after_insert_count AFTER INSERT ON idempotency BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.caller_id);
  UPDATE usage SET idempotency_keys = idempotency_keys + 1 WHERE user_id = NEW.caller_id AND moving = 0;
END;

CREATE TRIGGER idempotency_after_delete_count AFTER DELETE ON idempotency BEGIN
  UPDATE usage SET idempotency_keys = idempotency_keys - 1 WHERE user_id = OLD.caller_id AND moving = 0;
END;

-- outbox

CREATE TRIGGER outbox_after_insert_count AFTER INSERT ON outbox BEGIN
  UPDATE outbox_counts SET events = events + 1 WHERE owner_id IN ('', NEW.owner_id);
  INSERT INTO outbox_counts (owner_id, events) SELECT NEW.owner_id, 16
    WHERE NEW.owner_id <> '' AND NOT EXISTS (SELECT 1 FROM outbox_counts WHERE owner_id = NEW.owner_id)
      AND (SELECT count(*) FROM (SELECT 1 FROM outbox WHERE owner_id = NEW.owner_id AND parked_at IS NULL LIMIT 16))
        + (SELECT count(*) FROM (SELECT 1 FROM outbox
          WHERE parked_at IS NOT NULL AND coalesce(data ->> 'owner_id', data ->> 'user_id') = NEW.owner_id LIMIT 16)) >= 16;
END;

CREATE TRIGGER outbox_after_delete_count AFTER DELETE ON outbox BEGIN
  UPDATE outbox_counts SET events = events - 1 WHERE owner_id IN ('', OLD.owner_id);
  DELETE FROM outbox_counts WHERE owner_id = OLD.owner_id AND owner_id <> '' AND events < 8;
END;

-- An event is recorded by an INSERT into this view. It is dropped, and counted, when the outbox is full, or when its owner has
-- `max_of_owner` events or as many as there is still room for, so a few owners never fill it. max_of_owner is null for an event
-- that only a full outbox drops.
--   An event takes the first turn that waits, and one more for each event that its owner has waiting. So owners take turns, and
-- the index on next_at delivers in that order.
CREATE VIEW outbox_entry (id, type, resource_id, data, created_at, max_events, max_of_owner) AS
  SELECT id, type, resource_id, data, created_at, 0, 0 FROM outbox;

CREATE TRIGGER outbox_entry_instead_of_insert_record INSTEAD OF INSERT ON outbox_entry BEGIN
  INSERT INTO outbox (id, type, resource_id, seq, data, created_at, next_at)
    SELECT NEW.id, NEW.type, NEW.resource_id,
      coalesce((SELECT max(seq) FROM outbox INDEXED BY outbox_by_resource
        WHERE owner_id = entry.owner AND resource_id = NEW.resource_id AND parked_at IS NULL), 0) + 1,
      NEW.data, NEW.created_at,
      min(999999999, entry.of_owner + coalesce((SELECT min(next_at) FROM outbox INDEXED BY outbox_by_turn
        WHERE parked_at IS NULL AND next_at < 1000000000), 0))
    FROM (SELECT named.owner, total.events AS of_all,
        coalesce((SELECT events FROM outbox_counts WHERE owner_id = named.owner AND owner_id <> ''), 0) AS of_owner
      FROM (SELECT coalesce(NEW.data ->> 'owner_id', NEW.data ->> 'user_id', '') AS owner) AS named
      CROSS JOIN outbox_counts AS total ON total.owner_id = '') AS entry
    WHERE entry.of_all < NEW.max_events
      AND (NEW.max_of_owner IS NULL OR entry.of_owner < min(NEW.max_of_owner, NEW.max_events - entry.of_all))
      AND NOT EXISTS (SELECT 1 FROM outbox WHERE id = NEW.id);
  UPDATE outbox_counts SET dropped = dropped + 1,
      dropped_from = min(coalesce(dropped_from, NEW.created_at), NEW.created_at),
      dropped_until = max(coalesce(dropped_until, NEW.created_at), NEW.created_at)
    WHERE owner_id = '' AND NOT EXISTS (SELECT 1 FROM outbox WHERE id = NEW.id);
END;

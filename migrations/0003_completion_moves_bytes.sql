-- Completion moves bytes from the reservation to the file in one step, so that content which was let in at the
-- start is never refused at the end, also when the operator has lowered the limit in between.

DROP TRIGGER uploads_end;
CREATE TRIGGER uploads_end AFTER UPDATE OF state ON uploads
WHEN OLD.state IN ('open', 'completing') AND NEW.state IN ('completed', 'failed')
BEGIN
  UPDATE usage SET open_uploads = open_uploads - 1,
    used_bytes = used_bytes - iif(NEW.state = 'failed', OLD.size_bytes, 0)
  WHERE user_id = OLD.owner_id;
END;

-- The batch that completes an upload names it in the file's object_key; its bytes are reserved until then.
DROP TRIGGER files_recharge;
CREATE TRIGGER files_recharge AFTER UPDATE OF size_bytes, processing_state, object_key ON files
WHEN NEW.object_key IS NOT OLD.object_key
  OR iif(NEW.processing_state IS 'ready', NEW.size_bytes, 0) <> iif(OLD.processing_state IS 'ready', OLD.size_bytes, 0)
BEGIN
  UPDATE usage SET used_bytes = used_bytes
    + iif(NEW.processing_state IS 'ready', NEW.size_bytes, 0)
    - iif(OLD.processing_state IS 'ready', OLD.size_bytes, 0)
    - iif(NEW.object_key IS NOT OLD.object_key,
        coalesce((SELECT size_bytes FROM uploads WHERE id = NEW.object_key AND file_id = NEW.id AND state = 'completed'), 0), 0)
  WHERE user_id = NEW.owner_id;
END;

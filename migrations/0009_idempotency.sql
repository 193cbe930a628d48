-- The resource that a request with an Idempotency-Key created, for 24 hours.
CREATE TABLE idempotency (
  caller_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  made_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (caller_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TRIGGER idempotency_after_insert_count AFTER INSERT ON idempotency BEGIN
  SELECT RAISE(ABORT, 'refused:INTERNAL:no usage row')
    WHERE NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.caller_id);
  UPDATE usage SET idempotency_keys = idempotency_keys + 1 WHERE user_id = NEW.caller_id AND moving = 0;
END;

CREATE TRIGGER idempotency_after_delete_count AFTER DELETE ON idempotency BEGIN
  UPDATE usage SET idempotency_keys = idempotency_keys - 1 WHERE user_id = OLD.caller_id AND moving = 0;
END;

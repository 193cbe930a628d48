-- The check of content before it is ready (docs/content-check.md). Without a checker the columns stay as they are here.

-- Set at completion, when a checker has to look at the content first. The upload stays 'completing' until the verdict.
--   waiting: no verdict yet.   ready, failed: the verdict.
ALTER TABLE uploads ADD COLUMN check_state TEXT CHECK (check_state IN ('waiting', 'ready', 'failed'));
ALTER TABLE uploads ADD COLUMN check_began_at INTEGER CHECK ((check_state IS NULL) = (check_began_at IS NULL));
-- How often the checker has been asked, and when it is asked again.
ALTER TABLE uploads ADD COLUMN check_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE uploads ADD COLUMN check_next_at INTEGER CHECK ((check_next_at IS NOT NULL) = (check_state IS 'waiting'));

-- For the job: uploads whose checker is to be asked again, and how long the oldest has waited.
CREATE INDEX uploads_to_check ON uploads (check_next_at) WHERE check_state = 'waiting' AND state IN ('open', 'completing');
CREATE INDEX uploads_in_check ON uploads (check_began_at) WHERE check_state = 'waiting' AND state IN ('open', 'completing');

-- Content that waits for its verdict is never completed without it, not by a version of the service that knows no checks
-- either.
CREATE TRIGGER uploads_before_update_require_verdict BEFORE UPDATE OF state ON uploads
WHEN NEW.state = 'completed' AND OLD.check_state = 'waiting' AND NEW.check_state IS NOT 'ready'
BEGIN SELECT RAISE(ABORT, 'refused:UNAVAILABLE'); END;

CREATE TRIGGER uploads_before_update_keep_verdict BEFORE UPDATE OF check_state ON uploads
WHEN OLD.check_state IN ('ready', 'failed') AND NEW.check_state IS NOT OLD.check_state
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a verdict is final'); END;

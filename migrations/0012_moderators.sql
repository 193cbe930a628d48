-- Whose id stands in blocks and in parked events as the moderator's, for the erasure of that user (docs/erasing.md). Rows
-- without a moderator, and events that are not parked, are in neither index.
CREATE INDEX blocks_by_moderator ON blocks (blocked_by, blocked_at) WHERE blocked_by IS NOT NULL;
CREATE INDEX outbox_parked_by ON outbox (data ->> 'blocked_by') WHERE parked_at IS NOT NULL AND data ->> 'blocked_by' IS NOT NULL;

-- How far the erasure of a user has asked the databases for such blocks: the last one that it is done with.
ALTER TABLE erasures ADD COLUMN asked TEXT;

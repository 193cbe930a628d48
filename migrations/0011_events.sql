-- Events for the studio's server (docs/events.md), until they have been delivered. The batch that makes a change inserts its
-- events, so an event is here exactly when the change was made. Without WEBHOOK_URL the table stays empty.
CREATE TABLE outbox (
  id TEXT NOT NULL PRIMARY KEY, -- the webhook-id; with the partition of the resource that the event is about
  type TEXT NOT NULL,
  -- The user whom the event is about. '': none.
  owner_id TEXT GENERATED ALWAYS AS (coalesce(data ->> 'owner_id', data ->> 'user_id', '')) VIRTUAL,
  resource_id TEXT NOT NULL, -- the resource that the event is about: its events are delivered one after the other
  seq INTEGER NOT NULL, -- their order; two events that one statement wrote may have the same
  data TEXT NOT NULL CHECK (json_valid(data)),
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, -- deliveries that have begun
  -- When the next delivery may begin, in Unix seconds; during one, when it counts as lost. Below 1000000000 it is no time, but
  -- a turn, which is always due.
  next_at INTEGER NOT NULL,
  parked_at INTEGER, -- set when delivery was given up: the row waits for an operator, and holds back no later event
  last_error TEXT,
  last_failed_at INTEGER -- when the last delivery failed
) STRICT, WITHOUT ROWID;

-- The events of a resource are those of one owner, so this index serves both.
CREATE INDEX outbox_by_resource ON outbox (owner_id, resource_id, seq) WHERE parked_at IS NULL;
CREATE INDEX outbox_by_turn ON outbox (next_at) WHERE parked_at IS NULL;
CREATE INDEX outbox_parked ON outbox (parked_at) WHERE parked_at IS NOT NULL;
-- Parked events by the users whom they name, for the erasure of a user.
CREATE INDEX outbox_parked_about ON outbox (coalesce(data ->> 'owner_id', data ->> 'user_id')) WHERE parked_at IS NOT NULL;
CREATE INDEX outbox_parked_for ON outbox (data ->> 'grantee_id') WHERE parked_at IS NOT NULL AND data ->> 'grantee_id' IS NOT NULL;
CREATE INDEX outbox_parked_by ON outbox (coalesce(data ->> 'blocked_by', data ->> 'actor'))
  WHERE parked_at IS NOT NULL AND coalesce(data ->> 'blocked_by', data ->> 'actor') IS NOT NULL;

-- How many events there are, parked ones included (docs/events.md#turns-and-limits). Only triggers change `events`. An owner has a row
-- from 16 events on, until fewer than 8 are left: most owners never have one, and their events cost one row less.
CREATE TABLE outbox_counts (
  owner_id TEXT NOT NULL PRIMARY KEY, -- '': all owners together
  events INTEGER NOT NULL CHECK (events >= 0),
  -- Of '': the events that were dropped at a limit since the last `events.dropped`, and when the first and the last one happened.
  dropped INTEGER NOT NULL DEFAULT 0,
  dropped_from INTEGER,
  dropped_until INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO outbox_counts (owner_id, events) VALUES ('', 0);

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

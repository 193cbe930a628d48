-- What an outbox holds at most, of all users and of one, and whose event is delivered next (docs/events.md).

-- Whom an event is about. '': nobody.
ALTER TABLE outbox ADD COLUMN owner_id TEXT
  GENERATED ALWAYS AS (coalesce(data ->> 'owner_id', data ->> 'user_id', '')) VIRTUAL;

-- The events of one thing are those of one owner, so this index serves both, and an event writes no further row.
DROP INDEX outbox_by_thing;
CREATE INDEX outbox_by_thing ON outbox (owner_id, thing_id, seq) WHERE parked_at IS NULL;

-- How many events there are, parked ones included. Only triggers change `events`. An owner has a row from 16 events on, until
-- fewer than 8 are left: most owners never have one, and their events cost one row less.
CREATE TABLE outbox_counts (
  owner_id TEXT NOT NULL PRIMARY KEY, -- '': all owners together
  events INTEGER NOT NULL CHECK (events >= 0),
  -- Of '': the events that were dropped at a limit since the last `events.dropped`, and when the first and the last one happened.
  dropped INTEGER NOT NULL DEFAULT 0,
  dropped_from INTEGER,
  dropped_until INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO outbox_counts (owner_id, events) SELECT '', count(*) FROM outbox;
INSERT INTO outbox_counts (owner_id, events)
  SELECT owner_id, count(*) FROM outbox WHERE owner_id <> '' GROUP BY owner_id HAVING count(*) >= 16;

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
--   next_at: below 1000000000 it is no time, but a turn. An event takes the first turn that waits, and one more for each event
--   that its owner has waiting. So owners take turns. The index delivers in that order, and a turn is always due.
CREATE VIEW outbox_entry (id, type, thing_id, data, created_at, max_events, max_of_owner) AS
  SELECT id, type, thing_id, data, created_at, 0, 0 FROM outbox;

CREATE TRIGGER outbox_entry_instead_of_insert_record INSTEAD OF INSERT ON outbox_entry BEGIN
  INSERT INTO outbox (id, type, thing_id, seq, data, created_at, next_at)
    SELECT NEW.id, NEW.type, NEW.thing_id,
      coalesce((SELECT max(seq) FROM outbox INDEXED BY outbox_by_thing
        WHERE owner_id = entry.owner AND thing_id = NEW.thing_id AND parked_at IS NULL), 0) + 1,
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

-- Events for the studio's server (docs/events.md), until they have been delivered. The batch that does a thing inserts its
-- events, so an event is here exactly when the thing was done. Without WEBHOOK_URL the table stays empty.
CREATE TABLE outbox (
  id TEXT NOT NULL PRIMARY KEY, -- the webhook-id; with the partition of what the event is about
  type TEXT NOT NULL,
  thing_id TEXT NOT NULL, -- what the event is about: the events of one thing are delivered one after the other
  seq INTEGER NOT NULL, -- their order; two events that one statement wrote may have the same
  data TEXT NOT NULL CHECK (json_valid(data)),
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, -- deliveries that have begun
  next_at INTEGER NOT NULL, -- when the next delivery may begin, in Unix seconds; during one, when it counts as lost
  parked_at INTEGER, -- set when delivery was given up: the row waits for an operator, and holds back no later event
  last_error TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_by_thing ON outbox (thing_id, seq) WHERE parked_at IS NULL;
CREATE INDEX outbox_by_turn ON outbox (next_at) WHERE parked_at IS NULL;
CREATE INDEX outbox_parked ON outbox (parked_at) WHERE parked_at IS NOT NULL;

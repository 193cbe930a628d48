/** The steps of an inbox's tables (src/platform/lib/durable-object.ts). */
export const steps: readonly string[] = [
  `
  CREATE TABLE notifications (
    seq INTEGER PRIMARY KEY, -- of the event that added it
    id TEXT NOT NULL, -- ends in the seq (numberedId)
    type TEXT NOT NULL,
    data TEXT NOT NULL, -- JSON
    state TEXT NOT NULL CHECK (state IN ('unread', 'read')),
    created_at INTEGER NOT NULL,
    unread INTEGER NOT NULL, -- the count at this seq
    expires_at INTEGER, -- null: it expires by its age
    announcement INTEGER -- the number of the announcement that it is; null: it is none
  ) STRICT;
  -- Each notification with an expires_at is in one of the two. A game may give every notification one.
  CREATE INDEX notifications_expiring ON notifications (expires_at)
    WHERE expires_at IS NOT NULL AND announcement IS NULL;
  CREATE INDEX notifications_announced ON notifications (expires_at) WHERE announcement IS NOT NULL;

  -- Reading and deleting. The event that added a notification is the notification's own row, and after its deletion the row of
  -- that event.
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    unread INTEGER NOT NULL, -- the count at this seq
    data TEXT NOT NULL, -- JSON
    created_at INTEGER NOT NULL,
    added TEXT, -- JSON of the event that added what this one deletes; null: there is none, or it is too old to be kept
    additions TEXT -- JSON: the events that added what one event of many deletions deletes
  ) STRICT;

  CREATE TABLE counters (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL, -- never decreases
    total INTEGER NOT NULL CHECK (total >= 0),
    unread INTEGER NOT NULL CHECK (unread BETWEEN 0 AND total),
    base_seq INTEGER NOT NULL, -- 0, or the seq after the last erasure: no event of this seq is kept
    base_unread INTEGER NOT NULL, -- the count at base_seq
    read_through INTEGER NOT NULL DEFAULT 0, -- no notification up to this seq is unread
    announced INTEGER NOT NULL DEFAULT 0 -- the version of the announcements with which the inbox is in sync
  ) STRICT;
  INSERT INTO counters (one, seq, total, unread, base_seq, base_unread) VALUES (1, 0, 0, 0, 0, 0);

  CREATE TABLE erased (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    mark TEXT NOT NULL -- the id of the last erasure
  ) STRICT;

  CREATE TABLE idempotency (
    publisher TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    response TEXT NOT NULL, -- JSON
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (publisher, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE mutes (
    user_id TEXT NOT NULL PRIMARY KEY -- whom the inbox's user has muted: a copy (mutes.ts)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    event TEXT NOT NULL -- JSON of an event for the queue (outbox.ts)
  ) STRICT, WITHOUT ROWID;
  `,
]

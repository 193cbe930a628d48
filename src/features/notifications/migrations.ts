/** The tables of a new inbox. `steps` bring older inboxes to the same tables; a test compares the two. */
const schema = `
  CREATE TABLE notifications (
    seq INTEGER PRIMARY KEY, -- of the event that added it
    id TEXT NOT NULL, -- ends in the seq (number.ts), but in rows of version 1
    type TEXT NOT NULL,
    data TEXT NOT NULL, -- JSON
    state TEXT NOT NULL CHECK (state IN ('unread', 'read')),
    created_at INTEGER NOT NULL,
    unread INTEGER -- the count at this seq; null in rows of version 1, whose event is in the table events
  ) STRICT;
  CREATE INDEX notifications_of_version_1 ON notifications (id) WHERE unread IS NULL;

  -- The events of reading and deleting. The event that added a notification is in its row, then in that of its deletion.
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    unread INTEGER NOT NULL, -- the count at this seq
    data TEXT NOT NULL, -- JSON
    created_at INTEGER NOT NULL,
    added TEXT -- JSON of the event that added what this one deletes; null: there is none, or it is in this table
  ) STRICT;

  CREATE TABLE counters (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL, -- never decreases
    total INTEGER NOT NULL CHECK (total >= 0),
    unread INTEGER NOT NULL CHECK (unread BETWEEN 0 AND total),
    base_seq INTEGER NOT NULL, -- 0, or the seq after the last erasure: no event of this seq is kept
    base_unread INTEGER NOT NULL, -- the count at base_seq
    read_through INTEGER NOT NULL DEFAULT 0 -- no notification up to this seq is unread
  ) STRICT;
  INSERT INTO counters (one, seq, total, unread, base_seq, base_unread) VALUES (1, 0, 0, 0, 0, 0);

  CREATE TABLE erased (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    mark TEXT NOT NULL -- of the last erasure
  ) STRICT;

  CREATE TABLE idempotency (
    publisher TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    response TEXT NOT NULL, -- JSON
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (publisher, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    event TEXT NOT NULL -- JSON of an event for the queue (outbox.ts)
  ) STRICT, WITHOUT ROWID;
`

/**
 * Each step leads from one version of the tables to the next. A step never changes once it has been released; a change is a
 * new step at the end. The previous release of the Worker must still run on the tables after a step (docs/upgrading.md#upgrading).
 */
export const steps: readonly string[] = [
  `
  CREATE TABLE notifications (
    seq INTEGER PRIMARY KEY, -- of the event that added it
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    data TEXT NOT NULL, -- JSON
    state TEXT NOT NULL CHECK (state IN ('unread', 'read')),
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX notifications_unread ON notifications (seq) WHERE state = 'unread';

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    unread INTEGER NOT NULL, -- the count at this seq
    data TEXT NOT NULL, -- JSON
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE counters (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL, -- never decreases
    total INTEGER NOT NULL CHECK (total >= 0),
    unread INTEGER NOT NULL CHECK (unread BETWEEN 0 AND total),
    base_seq INTEGER NOT NULL, -- 0, or the seq after the last erasure: no event of this seq is kept
    base_unread INTEGER NOT NULL -- the count at base_seq
  ) STRICT;
  INSERT INTO counters (one, seq, total, unread, base_seq, base_unread) VALUES (1, 0, 0, 0, 0, 0);

  CREATE TABLE erased (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    mark TEXT NOT NULL -- of the last erasure
  ) STRICT;

  CREATE TABLE idempotency (
    publisher TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    response TEXT NOT NULL, -- JSON
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (publisher, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
  `,
  // Fewer rows a publication. The table is made anew, because the index of a UNIQUE column can't be dropped.
  `
  CREATE TABLE notifications_2 (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('unread', 'read')),
    created_at INTEGER NOT NULL,
    unread INTEGER
  ) STRICT;
  INSERT INTO notifications_2 SELECT seq, id, type, data, state, created_at, NULL FROM notifications ORDER BY seq;
  DROP TABLE notifications;
  ALTER TABLE notifications_2 RENAME TO notifications;
  CREATE INDEX notifications_of_version_1 ON notifications (id) WHERE unread IS NULL;
  ALTER TABLE events ADD COLUMN added TEXT;
  ALTER TABLE counters ADD COLUMN read_through INTEGER NOT NULL DEFAULT 0;
  DROP INDEX idempotency_by_expiry;
  CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    event TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
]

/** A key of the storage: an object may not set `PRAGMA user_version`. */
const VERSION = 'schema_version'

/** Whether the inbox has tables. It gets them with its first change. */
export function hasTables({ kv }: DurableObjectStorage): boolean {
  return kv.get<number>(VERSION) !== undefined
}

/** Creates the tables of the latest version, unless the inbox has tables. Call it in the transaction of the first change. */
export function createTables(storage: DurableObjectStorage): void {
  if (hasTables(storage)) return
  storage.sql.exec(schema)
  storage.kv.put(VERSION, steps.length)
}

/** Brings the tables of an inbox to the latest version, in one transaction. A newer version than the latest stays. */
export function migrate(storage: DurableObjectStorage, to: readonly string[] = steps): void {
  const version = storage.kv.get<number>(VERSION)
  if (version === undefined || version >= to.length) return
  storage.transactionSync(() => {
    for (const step of to.slice(version)) storage.sql.exec(step)
    storage.kv.put(VERSION, to.length)
  })
}

/**
 * The versions of an inbox's schema: each step leads from one version to the next. A step never changes once it has
 * been released; a change is a new step at the end.
 */
const steps: readonly string[] = [
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
]

/** A key of the storage: an object may not set `PRAGMA user_version`. */
const VERSION = 'schema_version'

/** Brings an inbox's schema to the latest version, in one transaction. A newer version than the latest stays. */
export function migrate(storage: DurableObjectStorage, to: readonly string[] = steps): void {
  const version = storage.kv.get<number>(VERSION) ?? 0
  if (version >= to.length) return
  storage.transactionSync(() => {
    for (const step of to.slice(version)) storage.sql.exec(step)
    storage.kv.put(VERSION, to.length)
  })
}

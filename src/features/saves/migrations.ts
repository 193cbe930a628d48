/** The steps of the tables of saves (src/platform/lib/durable-object.ts). */
export const steps: readonly string[] = [
  `
  -- The current revision of a slot is the highest that is not kept.
  CREATE TABLE revisions (
    id INTEGER PRIMARY KEY,
    slot TEXT NOT NULL,
    revision INTEGER NOT NULL,
    last_revision INTEGER NOT NULL, -- no higher number has been used in the slot, except by rows that it still has
    change_number INTEGER NOT NULL, -- rises with every revision and deletion, over all slots
    is_kept INTEGER NOT NULL CHECK (is_kept IN (0, 1)), -- the bytes of a write that was refused
    condition TEXT, -- of the request that wrote it (condition.ts)
    idempotency_key TEXT, -- of that request
    made_slot INTEGER NOT NULL CHECK (made_slot IN (0, 1)), -- whether the slot was empty before
    created_at INTEGER NOT NULL, -- of the slot
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER, -- of the slot, when this is its current revision
    size_bytes INTEGER NOT NULL,
    mime_type TEXT NOT NULL,
    checksum_sha256 TEXT NOT NULL, -- base64
    device TEXT,
    label TEXT,
    played_seconds INTEGER,
    bytes BLOB NOT NULL -- last, so that reading the other columns does not read it
  ) STRICT;
  `,
  `
  -- These are behind the bytes, and NULL in what a player writes. A NULL is in the header of its row: reading it does not read the bytes.
  -- Who wrote or restored it, if not the player.
  ALTER TABLE revisions ADD COLUMN written_by TEXT;
  -- The recall that made it, and when the content that it went back to was written.
  ALTER TABLE revisions ADD COLUMN recall_id TEXT;
  ALTER TABLE revisions ADD COLUMN content_at INTEGER;
  `,
]

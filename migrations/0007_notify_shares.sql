-- New shares whose grantee has not been notified yet (NOTIFY_SHARES, docs/sharing.md#notify-the-grantee). The request that made
-- the share removes its row after the answer; the job takes what is due. A table of its own, because a column of `shares` and its
-- index would have the migration read all shares, and would cost each share a row more. No trigger removes a row with its share:
-- the job does, when it is due.
CREATE TABLE shares_to_notify (
  due_at INTEGER NOT NULL, -- when the job takes it
  share_id TEXT NOT NULL,
  PRIMARY KEY (due_at, share_id)
) STRICT, WITHOUT ROWID;

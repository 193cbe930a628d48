-- What was done under a scope (docs/helping-players.md#what-was-done). The entries are in the first database only. Ids sort by time.
CREATE TABLE audit (
  id TEXT NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  scope TEXT NOT NULL,
  action TEXT NOT NULL, -- the operationId
  user_id TEXT, -- whom the act concerns
  resource TEXT, -- the id of the thing
  reason TEXT,
  request_id TEXT NOT NULL,
  status INTEGER -- of the answer; null: not known
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_by_actor ON audit (actor, id);
CREATE INDEX audit_about_user ON audit (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_of_action ON audit (action, id);

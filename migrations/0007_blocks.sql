-- Who blocked a file, a folder or an asset, when and why. Rules read the item's own column `blocked`; triggers keep a row here
-- while that is set.
CREATE TABLE blocks (
  kind TEXT NOT NULL CHECK (kind IN ('files', 'assets')),
  id TEXT NOT NULL, -- of the file or the asset
  blocked_at INTEGER NOT NULL,
  blocked_by TEXT, -- the moderator; null: not known
  reason TEXT,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocks_newest ON blocks (kind, blocked_at, id);
-- For erasing a moderator (docs/helping-players.md#erase-a-user).
CREATE INDEX blocks_by_moderator ON blocks (blocked_by, blocked_at) WHERE blocked_by IS NOT NULL;
-- For a page of the blocks of one owner: the blocks of the owner's partition, of which a page reads no more than its limit.
CREATE INDEX blocks_in_partition ON blocks (kind, substr(id, 21, 3), blocked_at, id);

CREATE TABLE favorites (
  user_id TEXT NOT NULL,
  asset_id TEXT NOT NULL, -- outlives the asset until a recount, which may be in another database
  id TEXT NOT NULL, -- sorts by the time of adding
  created_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, user_id) -- a recount of an asset is one range
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX favorites_newest ON favorites (user_id, id);

-- How many users of this database have an asset among their favorites. The sum over all databases is the asset's count.
CREATE TABLE favorite_counts (
  asset_id TEXT NOT NULL PRIMARY KEY,
  users INTEGER NOT NULL CHECK (users >= 0)
) STRICT, WITHOUT ROWID;

-- Assets whose number in `favorite_counts` has changed. The job adds the numbers up when the row is due, and so at most once in that
-- time for an asset, however many users add it.
CREATE TABLE favorite_recounts (
  asset_id TEXT NOT NULL PRIMARY KEY,
  mark TEXT NOT NULL, -- a random value, another one each time it is set
  due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX favorite_recounts_due ON favorite_recounts (due_at);

-- The mover's rows are counted, too: the counts are those of a database, and not of a user.
CREATE TRIGGER favorites_after_insert_count AFTER INSERT ON favorites BEGIN
  UPDATE usage SET favorites = favorites + 1 WHERE user_id = NEW.user_id AND moving = 0;
  INSERT INTO favorite_counts (asset_id, users) VALUES (NEW.asset_id, 1)
    ON CONFLICT (asset_id) DO UPDATE SET users = users + 1;
  INSERT INTO favorite_recounts (asset_id, mark, due_at) VALUES (NEW.asset_id, hex(randomblob(8)), unixepoch() + 45)
    ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark;
END;

CREATE TRIGGER favorites_after_delete_count AFTER DELETE ON favorites BEGIN
  UPDATE usage SET favorites = favorites - 1 WHERE user_id = OLD.user_id AND moving = 0;
  UPDATE favorite_counts SET users = users - 1 WHERE asset_id = OLD.asset_id;
  DELETE FROM favorite_counts WHERE asset_id = OLD.asset_id AND users = 0;
  INSERT INTO favorite_recounts (asset_id, mark, due_at) VALUES (OLD.asset_id, hex(randomblob(8)), unixepoch() + 45)
    ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark;
END;

-- The recount of a purged asset finds no asset, and removes its favorites in every database: nobody could take them back.
-- One whose number is 0 has none, or a recount of its own that is due.
CREATE TRIGGER game_assets_after_delete_recount AFTER DELETE ON game_assets
WHEN OLD.favorites > 0 AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = OLD.owner_id AND moving = 1) BEGIN
  INSERT INTO favorite_recounts (asset_id, mark, due_at) VALUES (OLD.id, hex(randomblob(8)), unixepoch())
    ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark;
END;

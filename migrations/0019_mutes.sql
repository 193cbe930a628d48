-- Users whom a user has muted (docs/scaling.md#muted-players). They need not exist.
CREATE TABLE mutes (
  user_id TEXT NOT NULL, -- who has muted
  muted_id TEXT NOT NULL,
  id TEXT NOT NULL, -- sorts by the time of muting
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, muted_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX mutes_newest ON mutes (user_id, id);
-- For erasing a user whom others have muted.
CREATE INDEX mutes_of_muted ON mutes (muted_id);

-- The version of a user's mutes, of which the user's inbox has a copy. It changes with each request that mutes or unmutes and
-- never decreases, so the inbox ignores a copy that has been overtaken. The row stays when the last mute ends.
CREATE TABLE mute_lists (
  user_id TEXT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL, -- an id, which sorts by the time of the change
  changed_at INTEGER NOT NULL,
  due_at INTEGER -- when the job copies the mutes to the inbox; null: the inbox has this version
) STRICT, WITHOUT ROWID;

CREATE INDEX mute_lists_due ON mute_lists (due_at) WHERE due_at IS NOT NULL;

CREATE TRIGGER mutes_after_insert_count AFTER INSERT ON mutes BEGIN
  UPDATE usage SET mutes = mutes + 1 WHERE user_id = NEW.user_id AND moving = 0;
END;

CREATE TRIGGER mutes_after_delete_count AFTER DELETE ON mutes BEGIN
  UPDATE usage SET mutes = mutes - 1 WHERE user_id = OLD.user_id AND moving = 0;
END;

-- The profile picture that a user has chosen. A user without a row has none.
CREATE TABLE profiles (
  user_id TEXT NOT NULL PRIMARY KEY,
  picture_id TEXT NOT NULL, -- a file of the user's, in the trash or blocked possibly: reading a profile decides
  updated_at INTEGER NOT NULL -- when the picture was chosen
) STRICT, WITHOUT ROWID;

-- No foreign key: it would need an index on picture_id, which costs a row more at each write. A profile goes with its picture, so
-- every user with a profile has a row of `usage`, by which the mover finds users.
CREATE TRIGGER files_after_delete_remove_profile AFTER DELETE ON files WHEN OLD.asset_type = 'profile_pic' BEGIN
  DELETE FROM profiles WHERE user_id = OLD.owner_id AND picture_id = OLD.id;
END;

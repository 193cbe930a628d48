-- What is being deleted for good, by owner, as with files: erasing one user reads nothing of the others'.
DROP INDEX game_assets_purging;
CREATE INDEX game_assets_purging ON game_assets (owner_id, id) WHERE purging = 1;

-- Search looks for one trigram only, newest first, and compares the names that it finds one by one, so a page looks at a
-- bounded number of names whatever is in them (see src/public-assets/search.ts). Without positions and without the type,
-- the table holds nothing but which names have which trigram.
DROP TRIGGER listed_names_enter;
DROP TRIGGER listed_names_change;
DROP TRIGGER listed_names_leave;
DROP TABLE listed_names;
CREATE VIRTUAL TABLE listed_names USING fts5 (
  search_name, content = '', contentless_delete = 1, tokenize = 'trigram', detail = 'none'
);
INSERT INTO listed_names (rowid, search_name) SELECT number, search_name FROM game_assets WHERE listed = 1;

CREATE TRIGGER listed_names_enter AFTER INSERT ON game_assets WHEN NEW.listed = 1 BEGIN
  INSERT INTO listed_names (rowid, search_name) VALUES (NEW.number, NEW.search_name);
END;
CREATE TRIGGER listed_names_change AFTER UPDATE OF search_name, visibility, blocked, deleted_at ON game_assets
WHEN NEW.listed <> OLD.listed OR (NEW.listed = 1 AND NEW.search_name <> OLD.search_name) BEGIN
  DELETE FROM listed_names WHERE rowid = OLD.number;
  INSERT INTO listed_names (rowid, search_name) SELECT NEW.number, NEW.search_name WHERE NEW.listed = 1;
END;
CREATE TRIGGER listed_names_leave AFTER DELETE ON game_assets WHEN OLD.listed = 1 BEGIN
  DELETE FROM listed_names WHERE rowid = OLD.number;
END;

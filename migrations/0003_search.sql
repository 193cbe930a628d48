-- The search for public assets by name: which names have which trigram. A search looks for one trigram, newest first, and
-- compares the names that it finds one by one (src/features/assets/search.ts), so the table needs no positions in the names.
CREATE VIRTUAL TABLE public_names USING fts5 (
  search_name, content = '', contentless_delete = 1, tokenize = 'trigram', detail = 'none'
);

CREATE TRIGGER game_assets_after_insert_add_name AFTER INSERT ON game_assets WHEN NEW.is_listed = 1 BEGIN
  INSERT INTO public_names (rowid, search_name) VALUES (NEW.number, NEW.search_name);
END;

CREATE TRIGGER game_assets_after_update_change_name AFTER UPDATE OF search_name, visibility, blocked, deleted_at ON game_assets
WHEN NEW.is_listed <> OLD.is_listed OR (NEW.is_listed = 1 AND NEW.search_name <> OLD.search_name) BEGIN
  DELETE FROM public_names WHERE rowid = OLD.number;
  INSERT INTO public_names (rowid, search_name) SELECT NEW.number, NEW.search_name WHERE NEW.is_listed = 1;
END;

CREATE TRIGGER game_assets_after_delete_remove_name AFTER DELETE ON game_assets WHEN OLD.is_listed = 1 BEGIN
  DELETE FROM public_names WHERE rowid = OLD.number;
END;

-- The catalogue: one entry for each asset that is public, listed, not blocked and not deleted, with what a page shows
-- (docs/catalogue.md). Its tables are used in one database: CATALOG, when that is bound, and the first one otherwise. The marks are
-- used in every database.

-- Assets of this database that have changed since their entry was written. A mark says nothing about the change: whoever applies it
-- reads the asset, writes the entry, and deletes the mark unless it has been set again.
CREATE TABLE catalogue_marks (
  asset_id TEXT NOT NULL PRIMARY KEY,
  mark TEXT NOT NULL -- a random value, another one each time it is set
) STRICT, WITHOUT ROWID;

CREATE TRIGGER game_assets_after_insert_mark AFTER INSERT ON game_assets
WHEN NEW.is_in_catalogue = 1 AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id AND moving = 1) BEGIN
  INSERT INTO catalogue_marks (asset_id, mark) VALUES (NEW.id, hex(randomblob(8)))
    ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark;
END;

CREATE TRIGGER game_assets_after_update_mark AFTER UPDATE ON game_assets
WHEN (OLD.is_in_catalogue = 1 OR NEW.is_in_catalogue = 1)
  AND (NEW.is_in_catalogue, NEW.revision, NEW.favorites, NEW.name, NEW.updated_at)
    IS NOT (OLD.is_in_catalogue, OLD.revision, OLD.favorites, OLD.name, OLD.updated_at) BEGIN
  INSERT INTO catalogue_marks (asset_id, mark) VALUES (NEW.id, hex(randomblob(8)))
    ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark;
END;

CREATE TABLE catalogue_entries (
  number INTEGER PRIMARY KEY, -- the lower 32 bits of its rowids below
  id TEXT NOT NULL UNIQUE, -- of the asset
  -- Those of the asset when the entry was written. An older state never replaces a newer one.
  revision INTEGER NOT NULL,
  recounts INTEGER NOT NULL,
  owner_id TEXT NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  search_name TEXT NOT NULL,
  tags TEXT NOT NULL, -- a JSON array
  preview_key TEXT,
  preview_width INTEGER,
  preview_height INTEGER,
  current_version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  favorites INTEGER NOT NULL CHECK (favorites >= 0),
  popularity INTEGER NOT NULL GENERATED ALWAYS AS (CAST(16 * log2(1 + favorites) AS INTEGER)) STORED,
  facets TEXT NOT NULL, -- ' :world #horror #maze @HEX_OF_THE_OWNER ', with a space before and behind
  initials TEXT NOT NULL, -- '=HEX =HEX': the first character of the name, and the first two
  -- One entry in 4,096 has the facet ':stop', too. Pages that combine facets ask for it beside each, so that they stop there although
  -- they found nothing: full-text tables compare two lists of rowids to the end, whatever range of rowids is asked for. Chance chooses
  -- these entries: cursors have their numbers, so an owner could take each 4,096th number, and then make the asset private.
  chance INTEGER NOT NULL DEFAULT (random() & 4095),
  stop TEXT NOT NULL GENERATED ALWAYS AS (iif(chance = 0 AND number >= 4096, ':stop ', '')) VIRTUAL,
  -- Set: the asset is not shown, and the texts above are empty. The row stays for an hour, so that an older state that arrives late
  -- does not bring the asset back.
  removed_at INTEGER
) STRICT;

CREATE INDEX catalogue_removed ON catalogue_entries (removed_at) WHERE removed_at IS NOT NULL;

-- One full-text table for each sort, whose rowid is the position in the sort: (key << 32) | number. A key that is a time is in seconds
-- since the beginning of 2020, so that it has 31 bits until 2088. So a page in any sort, with any
-- combination of facets, is one range of rowids.
CREATE VIRTUAL TABLE catalogue_by_published USING fts5 (
  facets, content = '', contentless_delete = 1, detail = 'none',
  tokenize = "unicode61 remove_diacritics 0 tokenchars '#@:_-='"
);

CREATE VIRTUAL TABLE catalogue_by_updated USING fts5 (
  facets, content = '', contentless_delete = 1, detail = 'none',
  tokenize = "unicode61 remove_diacritics 0 tokenchars '#@:_-='"
);

CREATE VIRTUAL TABLE catalogue_by_popular USING fts5 (
  facets, content = '', contentless_delete = 1, detail = 'none',
  tokenize = "unicode61 remove_diacritics 0 tokenchars '#@:_-='"
);

-- The search by name: which names have which trigram. Its rowids are those of catalogue_by_published.
CREATE VIRTUAL TABLE catalogue_names USING fts5 (
  search_name, content = '', contentless_delete = 1, tokenize = 'trigram', detail = 'none'
);

CREATE TRIGGER catalogue_entries_after_insert_add AFTER INSERT ON catalogue_entries WHEN NEW.removed_at IS NULL BEGIN
  INSERT INTO catalogue_by_published (rowid, facets) VALUES ((NEW.published_at - 1577836800 << 32) | NEW.number, NEW.facets || NEW.stop || NEW.initials);
  INSERT INTO catalogue_by_updated (rowid, facets) VALUES ((NEW.updated_at - 1577836800 << 32) | NEW.number, NEW.facets || NEW.stop);
  INSERT INTO catalogue_by_popular (rowid, facets) VALUES ((NEW.popularity << 32) | NEW.number, NEW.facets || NEW.stop);
  INSERT INTO catalogue_names (rowid, search_name) VALUES ((NEW.published_at - 1577836800 << 32) | NEW.number, NEW.search_name);
END;

CREATE TRIGGER catalogue_entries_after_update_published AFTER UPDATE ON catalogue_entries
WHEN (NEW.removed_at IS NULL, NEW.published_at, NEW.facets, NEW.initials)
  IS NOT (OLD.removed_at IS NULL, OLD.published_at, OLD.facets, OLD.initials) BEGIN
  DELETE FROM catalogue_by_published WHERE rowid = (OLD.published_at - 1577836800 << 32) | OLD.number AND OLD.removed_at IS NULL;
  INSERT INTO catalogue_by_published (rowid, facets)
    SELECT (NEW.published_at - 1577836800 << 32) | NEW.number, NEW.facets || NEW.stop || NEW.initials WHERE NEW.removed_at IS NULL;
END;

CREATE TRIGGER catalogue_entries_after_update_updated AFTER UPDATE ON catalogue_entries
WHEN (NEW.removed_at IS NULL, NEW.updated_at, NEW.facets) IS NOT (OLD.removed_at IS NULL, OLD.updated_at, OLD.facets) BEGIN
  DELETE FROM catalogue_by_updated WHERE rowid = (OLD.updated_at - 1577836800 << 32) | OLD.number AND OLD.removed_at IS NULL;
  INSERT INTO catalogue_by_updated (rowid, facets)
    SELECT (NEW.updated_at - 1577836800 << 32) | NEW.number, NEW.facets || NEW.stop WHERE NEW.removed_at IS NULL;
END;

CREATE TRIGGER catalogue_entries_after_update_popular AFTER UPDATE ON catalogue_entries
WHEN (NEW.removed_at IS NULL, NEW.popularity, NEW.facets) IS NOT (OLD.removed_at IS NULL, OLD.popularity, OLD.facets) BEGIN
  DELETE FROM catalogue_by_popular WHERE rowid = (OLD.popularity << 32) | OLD.number AND OLD.removed_at IS NULL;
  INSERT INTO catalogue_by_popular (rowid, facets)
    SELECT (NEW.popularity << 32) | NEW.number, NEW.facets || NEW.stop WHERE NEW.removed_at IS NULL;
END;

CREATE TRIGGER catalogue_entries_after_update_name AFTER UPDATE ON catalogue_entries
WHEN (NEW.removed_at IS NULL, NEW.published_at, NEW.search_name) IS NOT (OLD.removed_at IS NULL, OLD.published_at, OLD.search_name)
BEGIN
  DELETE FROM catalogue_names WHERE rowid = (OLD.published_at - 1577836800 << 32) | OLD.number AND OLD.removed_at IS NULL;
  INSERT INTO catalogue_names (rowid, search_name)
    SELECT (NEW.published_at - 1577836800 << 32) | NEW.number, NEW.search_name WHERE NEW.removed_at IS NULL;
END;

CREATE TRIGGER catalogue_entries_after_delete_remove AFTER DELETE ON catalogue_entries WHEN OLD.removed_at IS NULL BEGIN
  DELETE FROM catalogue_by_published WHERE rowid = (OLD.published_at - 1577836800 << 32) | OLD.number;
  DELETE FROM catalogue_by_updated WHERE rowid = (OLD.updated_at - 1577836800 << 32) | OLD.number;
  DELETE FROM catalogue_by_popular WHERE rowid = (OLD.popularity << 32) | OLD.number;
  DELETE FROM catalogue_names WHERE rowid = (OLD.published_at - 1577836800 << 32) | OLD.number;
END;

-- Owners who are being erased: no page shows what they made by `until`. The job removes a row when the erasure has ended and the
-- entries are gone.
CREATE TABLE catalogue_hidden_owners (
  owner_id TEXT NOT NULL PRIMARY KEY,
  until INTEGER NOT NULL,
  hidden_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- For the job: the owner who has been hidden for the longest time.
CREATE INDEX catalogue_hidden_longest ON catalogue_hidden_owners (hidden_at);

-- The walk that marks every asset of the catalogue, the newest first: it fills the catalogue of an upgraded deployment.
INSERT INTO progress (task, position) VALUES ('catalogue_assets', NULL);

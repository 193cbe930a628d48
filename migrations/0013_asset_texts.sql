-- More of the page of an asset (0008_asset_pages.sql): what it says of itself, and since when it has been public.
ALTER TABLE game_assets ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE game_assets ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'; -- a JSON array
ALTER TABLE game_assets ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}'; -- a JSON object of the game's own
-- When it last became public. Null: it was never private, or it became public before this column was there.
ALTER TABLE game_assets ADD COLUMN public_since INTEGER;
ALTER TABLE game_assets ADD COLUMN published_at INTEGER
  GENERATED ALWAYS AS (iif(visibility = 'public', coalesce(public_since, created_at), NULL)) VIRTUAL;

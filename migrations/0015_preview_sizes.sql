-- Width and height of the preview (0008_asset_pages.sql), in pixels: a client knows them before it loads the picture.
ALTER TABLE game_assets ADD COLUMN preview_width INTEGER;
ALTER TABLE game_assets ADD COLUMN preview_height INTEGER;
ALTER TABLE catalogue_entries ADD COLUMN preview_width INTEGER;
ALTER TABLE catalogue_entries ADD COLUMN preview_height INTEGER;

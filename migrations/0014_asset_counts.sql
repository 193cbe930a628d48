-- The last of the page of an asset (0008_asset_pages.sql), and of its versions and uploads.
ALTER TABLE game_assets ADD COLUMN preview_type TEXT; -- the MIME type of the preview
ALTER TABLE game_assets ADD COLUMN recounts INTEGER NOT NULL DEFAULT 0; -- how often `favorites` was set
-- How many versions were deleted alone: it has current_version - deleted_versions.
ALTER TABLE game_assets ADD COLUMN deleted_versions INTEGER NOT NULL DEFAULT 0;

ALTER TABLE asset_versions ADD COLUMN notes TEXT; -- null in a branch, and without any
ALTER TABLE asset_versions ADD COLUMN checksum_sha256 TEXT; -- base64, as the upload declared it; null: none was declared

-- Of the upload of an asset: the notes of its version, and the page of a new asset as a JSON object. Null once it has ended.
ALTER TABLE uploads ADD COLUMN notes TEXT;
ALTER TABLE uploads ADD COLUMN page TEXT;

-- Uploads in parts, of new content for a file, and of game assets (decisions, "Uploads").

-- In parts: R2's id of the multipart upload, the length of each part but the last, and what has arrived, as a JSON
-- object from part number to ETag.
ALTER TABLE uploads ADD COLUMN multipart_id TEXT;
ALTER TABLE uploads ADD COLUMN part_size INTEGER CHECK ((part_size IS NULL) = (multipart_id IS NULL));
ALTER TABLE uploads ADD COLUMN parts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(parts));

-- Whether the file was there before, and the revisions of it that the client wants to replace, as a JSON array.
ALTER TABLE uploads ADD COLUMN replaces INTEGER NOT NULL DEFAULT 0 CHECK (replaces IN (0, 1));
ALTER TABLE uploads ADD COLUMN expected_revisions TEXT;

-- For a new version, the asset; for a new asset, what it shall be, and from completion on, the asset, too.
ALTER TABLE uploads ADD COLUMN asset_id TEXT;
ALTER TABLE uploads ADD COLUMN asset_type TEXT CHECK (asset_type IS NULL OR (upload_type = 'game_asset' AND asset_type IN ('world', 'avatar', 'prop')));
ALTER TABLE uploads ADD COLUMN name TEXT CHECK ((name IS NULL) = (asset_type IS NULL));
ALTER TABLE uploads ADD COLUMN visibility TEXT CHECK ((visibility IS NULL) = (asset_type IS NULL));
-- Which of several completions it was that ended the upload; also the id of the version that it made.
ALTER TABLE uploads ADD COLUMN completion_id TEXT;

-- The code that a failed upload is answered with; null for those that failed before there was more than one.
ALTER TABLE uploads ADD COLUMN failure_code TEXT;

-- Set for what was to come in parts, which R2 keeps until the multipart upload is aborted.
ALTER TABLE garbage ADD COLUMN multipart_id TEXT;

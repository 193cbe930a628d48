-- Of an upload in parts: a JSON object from part number to the ETag and the SHA-256 (base64) that were recorded together. The checksum
-- holds for that ETag only: the release before records ETags alone.
ALTER TABLE uploads ADD COLUMN part_checksums TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(part_checksums));

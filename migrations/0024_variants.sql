-- Platforms (docs/conformance.md#releases): a version's own content may be for one platform, and variants add contents for others.

ALTER TABLE asset_versions ADD COLUMN platform TEXT; -- of the version's own content; null: for all
-- The platforms of deleted variants, a JSON array. They are not free again, and count towards the variants of the version.
ALTER TABLE asset_versions ADD COLUMN deleted_platforms TEXT NOT NULL DEFAULT '[]';

-- Of a version, or of a variant: then `version` is the version that it is added to.
ALTER TABLE uploads ADD COLUMN platform TEXT;
ALTER TABLE uploads ADD COLUMN version INTEGER;

-- A content is either that of versions or that of variants: an upload makes one of the two, and branches and rollbacks copy a version
-- as a version and a variant as a variant. So the triggers below look for other rows with the content in this table alone.
CREATE TABLE asset_variants (
  asset_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  platform TEXT NOT NULL,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 1),
  mime_type TEXT NOT NULL,
  object_key TEXT NOT NULL, -- the content in R2, which branches and rollbacks share
  checksum_sha256 TEXT, -- base64, as the upload declared it; null: none was declared
  created_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, version, platform),
  FOREIGN KEY (asset_id, version) REFERENCES asset_versions (asset_id, version)
) STRICT, WITHOUT ROWID;

-- As asset_versions_by_object (migrations/0005_assets.sql).
CREATE INDEX asset_variants_by_object ON asset_variants (object_key, substr(asset_id, 21, 3));

CREATE TRIGGER asset_versions_after_delete_variants AFTER DELETE ON asset_versions BEGIN
  DELETE FROM asset_variants WHERE asset_id = OLD.asset_id AND version = OLD.version;
END;

CREATE TRIGGER asset_variants_before_insert_refuse_garbage BEFORE INSERT ON asset_variants
WHEN EXISTS (SELECT 1 FROM garbage WHERE object_key = NEW.object_key AND (deleting = 1 OR is_version = 0))
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:that content is queued for deletion'); END;

CREATE TRIGGER asset_variants_before_update_refuse BEFORE UPDATE ON asset_variants
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a variant never changes'); END;

-- As asset_versions_after_insert_charge (migrations/0021_breakdown.sql). The bytes move from the reservation of the upload that made the
-- variant; a copy of the variant is of another version. `usage.versions` counts the row: a rollback takes no bytes, and makes a row for each
-- variant.
CREATE TRIGGER asset_variants_after_insert_charge AFTER INSERT ON asset_variants BEGIN
  INSERT INTO usage (user_id, parts, used_bytes, moving, partition, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
    max_open_uploads, max_ended_uploads, max_idempotency_keys)
    SELECT owner_id, type, iif(EXISTS (SELECT 1 FROM asset_variants WHERE object_key = NEW.object_key
        AND substr(asset_id, 21, 3) = substr(NEW.asset_id, 21, 3) AND asset_id = NEW.asset_id AND version <> NEW.version),
        0, NEW.size_bytes), 1, '', 0, 0, 0, 0, 0, 0, 0, 0
    FROM game_assets WHERE id = NEW.asset_id
    ON CONFLICT (user_id) DO UPDATE SET versions = versions + 1, used_bytes = used_bytes + excluded.used_bytes
        - coalesce((SELECT size_bytes FROM uploads
          WHERE id = NEW.object_key AND (asset_id, version) = (NEW.asset_id, NEW.version) AND state = 'completed'), 0),
      parts = json_set(parts, '$.' || excluded.parts, (parts ->> excluded.parts) + excluded.used_bytes)
    WHERE moving = 0;
  DELETE FROM garbage
  WHERE object_key = NEW.object_key AND substr(NEW.object_key, 21, 3) = substr(NEW.asset_id, 21, 3);
END;

-- As asset_versions_after_delete_release (migrations/0021_breakdown.sql).
CREATE TRIGGER asset_variants_after_delete_release AFTER DELETE ON asset_variants BEGIN
  INSERT INTO usage (user_id, parts, used_bytes, moving, partition, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
    max_open_uploads, max_ended_uploads, max_idempotency_keys)
    SELECT owner_id, type, iif(EXISTS (SELECT 1 FROM asset_variants WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id), 0, OLD.size_bytes), 1, '', 0, 0, 0, 0, 0, 0, 0, 0
    FROM game_assets WHERE id = OLD.asset_id
    ON CONFLICT (user_id) DO UPDATE SET versions = versions - 1, used_bytes = used_bytes - excluded.used_bytes,
      parts = json_set(parts, '$.' || excluded.parts, (parts ->> excluded.parts) - excluded.used_bytes)
    WHERE moving = 0;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, is_version, next_at, kept_until, kept_for, kept_bytes)
    SELECT OLD.object_key, coalesce((SELECT expires_at FROM uploads WHERE id = OLD.object_key), 0), since, 1,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id), OLD.size_bytes
    FROM (SELECT owner_id, max(coalesce(deleted_at / 1000, unixepoch()), created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id
        AND (purging = 1 OR (SELECT moving FROM usage WHERE user_id = owner_id) IS NOT 1))
    WHERE substr(OLD.object_key, 21, 3) = substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_variants
        WHERE object_key = OLD.object_key AND substr(asset_id, 21, 3) = substr(OLD.object_key, 21, 3))
    ON CONFLICT (object_key) DO NOTHING;
  INSERT INTO garbage (object_key, writable_until, enqueued_at, next_at, kept_until, kept_for, kept_bytes)
    SELECT 'refs/' || OLD.object_key || '/' || OLD.asset_id, 0, since,
      coalesce(kept, 0), kept, iif(kept IS NULL, NULL, owner_id), OLD.size_bytes
    FROM (SELECT owner_id, max(coalesce(deleted_at / 1000, unixepoch()), created_at) AS since, iif(kept_until IS NOT NULL
      AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1), kept_until, NULL) AS kept
      FROM game_assets WHERE id = OLD.asset_id
        AND (purging = 1 OR (SELECT moving FROM usage WHERE user_id = owner_id) IS NOT 1))
    WHERE substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3)
      AND NOT EXISTS (SELECT 1 FROM asset_variants WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id)
    ON CONFLICT (object_key) DO NOTHING;
  UPDATE garbage SET next_at = coalesce(kept_until, 0)
  WHERE object_key = OLD.object_key AND substr(OLD.object_key, 21, 3) <> substr(OLD.asset_id, 21, 3) AND is_version = 1
    AND NOT EXISTS (SELECT 1 FROM partitions WHERE partition = substr(OLD.object_key, 21, 3) AND state <> 'open');
END;

-- A large variant has a row in large_versions, too, with its platform and the id of its newest version.
ALTER TABLE large_versions ADD COLUMN platform TEXT; -- null: the version's own content

CREATE TRIGGER asset_variants_after_insert_list_large AFTER INSERT ON asset_variants WHEN NEW.size_bytes >= 1048576 BEGIN
  INSERT INTO large_versions (owner_id, size_bytes, asset_id, object_key, version, version_id, platform)
    SELECT owner_id, NEW.size_bytes, NEW.asset_id, NEW.object_key, NEW.version,
      (SELECT id FROM asset_versions WHERE asset_id = NEW.asset_id AND version = NEW.version), NEW.platform
    FROM game_assets WHERE id = NEW.asset_id
    ON CONFLICT (owner_id, size_bytes, asset_id, object_key) DO UPDATE SET version = excluded.version,
      version_id = excluded.version_id WHERE excluded.version > version;
END;

CREATE TRIGGER asset_variants_after_delete_list_large AFTER DELETE ON asset_variants WHEN OLD.size_bytes >= 1048576 BEGIN
  DELETE FROM large_versions
  WHERE owner_id = (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id) AND size_bytes = OLD.size_bytes
    AND asset_id = OLD.asset_id AND object_key = OLD.object_key AND version = OLD.version;
  INSERT INTO large_versions (owner_id, size_bytes, asset_id, object_key, version, version_id, platform)
    SELECT (SELECT owner_id FROM game_assets WHERE id = OLD.asset_id), size_bytes, asset_id, object_key, version,
      (SELECT id FROM asset_versions AS made WHERE made.asset_id = newest.asset_id AND made.version = newest.version), platform
    FROM (SELECT size_bytes, asset_id, object_key, version, platform FROM asset_variants WHERE object_key = OLD.object_key
        AND substr(asset_id, 21, 3) = substr(OLD.asset_id, 21, 3) AND asset_id = OLD.asset_id
      ORDER BY version DESC LIMIT 1) AS newest
    WHERE true ON CONFLICT (owner_id, size_bytes, asset_id, object_key) DO NOTHING;
END;

-- The trigger of 0023_channels.sql, which keeps the platform, too.
DROP TRIGGER asset_versions_before_update_refuse;
CREATE TRIGGER asset_versions_before_update_refuse BEFORE UPDATE OF asset_id, version, id, size_bytes, mime_type, object_key,
  checksum_sha256, branched_from_asset_id, branched_from_version, created_at, platform ON asset_versions
BEGIN SELECT RAISE(ABORT, 'refused:INTERNAL:a version never changes'); END;

import { hasOtherVersions, isMiscounted, isNeeded } from '../../proofs/model/recount.ts'
import { catalogueContradictions } from './catalogue.ts'

/** What must never be on the disk, by a sentence: each query finds those for which it is so. */
export const contradictions = {
  'a record without its content': `SELECT object_key AS text FROM (
      SELECT object_key, size_bytes FROM files WHERE object_key IS NOT NULL
      UNION SELECT object_key, size_bytes FROM asset_versions
      UNION SELECT preview_key, preview_bytes FROM game_assets WHERE preview_key IS NOT NULL) AS record
    WHERE NOT EXISTS (SELECT 1 FROM bucket._mf_objects WHERE key = object_key AND size = size_bytes)`,
  'content that a record refers to is on the garbage list': `SELECT object_key AS text FROM garbage WHERE ${isNeeded}`,
  'a counter that is not what a recount gives': `SELECT user_id || json_array(items, used_bytes, assets, open_uploads,
      ended_uploads, public_assets, versions, idempotency_keys, writable_keys) AS text FROM usage WHERE ${isMiscounted}`,
  'a user without a counter': `SELECT owner_id AS text FROM files WHERE owner_id NOT IN (SELECT user_id FROM usage)
    UNION SELECT owner_id FROM game_assets WHERE owner_id NOT IN (SELECT user_id FROM usage)`,
  'an unfinished file without its upload': `SELECT id AS text FROM files
    WHERE processing_state IN ('pending', 'processing')
      AND NOT EXISTS (SELECT 1 FROM uploads WHERE file_id = files.id AND state IN ('open', 'completing'))`,
  'an upload without its file': `SELECT id AS text FROM uploads
    WHERE file_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM files WHERE files.id = file_id)`,
  'an asset without a version that was not deleted': `SELECT id AS text FROM game_assets
    WHERE purging = 0 AND ${hasOtherVersions}`,
  'a share count that is not what a recount gives': `SELECT id AS text FROM files
    WHERE share_count <> (SELECT count(*) FROM shares WHERE file_id = files.id)`,
  ...catalogueContradictions,
}

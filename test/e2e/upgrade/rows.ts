/** Rows for a database of the previous release: at least one in each table, as its code leaves them. */

const id = (partition: string, number: number) =>
  `0190a5b3-0000-7${String(number).padStart(3, '0')}-8${partition}-${String(number).padStart(12, '0')}`

const [ada, bob] = ['abc', 'def'].map((partition) => (number: number) => `'${id(partition, number)}'`) as [
  Id,
  Id,
]
type Id = (number: number) => string

const limits = '100000, 1000, 1000, 1000, 1000, 1000, 1000, 1000'
const upload = `INSERT INTO uploads (id, owner_id, upload_type, size_bytes, mime_type, file_id, name, visibility, asset_type,
  created_at, expires_at, url_ttl)`
const asset = `INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, branched_from_asset_id, created_at, updated_at)`
const version = `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, branched_from_asset_id,
  branched_from_version, created_at)`
const file = `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state, object_key,
  is_public, created_at, updated_at)`

/** Two users. Ada has files and assets in each state, Bob branches from her. A third has been erased. */
export const rows: readonly string[] = [
  `INSERT INTO usage (user_id, partition, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions, max_open_uploads,
    max_ended_uploads, max_idempotency_keys) VALUES ('ada', 'abc', ${limits}), ('bob', 'def', ${limits}), ('empty', '123', ${limits})`,
  // A folder with a ready file that is shared, one that is pending, and one in the trash.
  `${file} VALUES (${ada(1)}, 'ada', NULL, 'folder', 'folder', 0, NULL, NULL, NULL, 0, 1, 1),
    (${ada(2)}, 'ada', ${ada(1)}, 'ready', 'file', 10, 'text/plain', 'ready', ${ada(20)}, 1, 1, 1),
    (${ada(3)}, 'ada', ${ada(1)}, 'pending', 'file', 20, 'text/plain', 'pending', NULL, 0, 1, 1),
    (${ada(4)}, 'ada', NULL, 'deleted', 'emote', 30, 'image/png', 'ready', ${ada(21)}, 0, 1, 1)`,
  `UPDATE files SET trashed_at = 1000 WHERE id = ${ada(4)}`,
  `UPDATE files SET blocked = 1 WHERE id = ${ada(2)}`,
  `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, expires_at, created_at)
    VALUES (${ada(5)}, ${ada(2)}, 'ada', 'bob', 'view', NULL, 1), (${ada(6)}, ${ada(2)}, 'ada', 'carol', 'edit', 2, 1)`,
  `UPDATE shares SET expired = 1 WHERE id = ${ada(6)}`,
  // Uploads that are open, failed, and of an asset.
  `${upload} VALUES (${ada(30)}, 'ada', 'file', 20, 'text/plain', ${ada(3)}, NULL, NULL, NULL, 1, 9, 900),
    (${ada(31)}, 'ada', 'file', 5, 'text/plain', ${ada(3)}, NULL, NULL, NULL, 1, 9, 900),
    (${ada(32)}, 'ada', 'game_asset', 7, 'text/plain', NULL, 'World', 'public', 'world', 1, 9, 900)`,
  `UPDATE uploads SET state = 'failed', failure_code = 'UPLOAD_MISMATCH', failure = 'another size' WHERE id = ${ada(31)}`,
  // Assets: public with two versions, private, deleted, and being purged with a version less.
  `${asset} VALUES (${ada(40)}, 'ada', 'world', 'World of Ada', 'world of ada', 'public', NULL, 1, 1),
    (${ada(41)}, 'ada', 'prop', 'Sword', 'sword', 'private', NULL, 1, 1),
    (${ada(42)}, 'ada', 'avatar', 'Gone', 'gone', 'public', NULL, 1, 1),
    (${ada(43)}, 'ada', 'avatar', 'Purged', 'purged', 'public', NULL, 1, 1),
    (${bob(44)}, 'bob', 'world', 'World of Bob', 'world of bob', 'public', ${ada(40)}, 1, 1),
    (${bob(45)}, 'bob', 'avatar', 'Kept', 'kept', 'private', ${ada(43)}, 1, 1)`,
  `${version} VALUES (${ada(40)}, 1, ${ada(50)}, 11, 'text/plain', ${ada(60)}, NULL, NULL, 1)`,
  `${version} VALUES (${ada(40)}, 2, ${ada(51)}, 12, 'text/plain', ${ada(61)}, NULL, NULL, 1)`,
  `${version} VALUES (${ada(43)}, 1, ${ada(52)}, 13, 'text/plain', ${ada(62)}, NULL, NULL, 1)`,
  `${version} VALUES (${bob(44)}, 1, ${bob(53)}, 12, 'text/plain', ${ada(61)}, ${ada(40)}, 2, 1)`,
  `${version} VALUES (${bob(45)}, 1, ${bob(54)}, 13, 'text/plain', ${ada(62)}, ${ada(43)}, 1, 1)`,
  `UPDATE game_assets SET deleted_at = 1000 WHERE id IN (${ada(42)}, ${ada(43)})`,
  `UPDATE game_assets SET purging = 1 WHERE id = ${ada(43)}`,
  `DELETE FROM asset_versions WHERE asset_id = ${ada(43)}`,
  `UPDATE game_assets SET blocked = 1 WHERE id = ${bob(44)}`,
  // What waits for the job.
  `INSERT INTO trash_emptied (owner_id, emptied_at) VALUES ('bob', 1000)`,
  `INSERT INTO erasures (user_id, until, mark) VALUES ('erased', 1, ${ada(70)})`,
  `INSERT INTO garbage (object_key, writable_until, enqueued_at) VALUES (${ada(31)}, 9, 1), (${ada(71)}, 0, 1)`,
  `INSERT INTO idempotency (caller_id, key, request_hash, made_id, created_at) VALUES ('ada', 'key', 'hash', ${ada(1)}, 1)`,
  `INSERT INTO paused_owners (task, owner_id, failures, next_at) VALUES ('trash', 'ada', 1, 1)`,
  `INSERT INTO bucket_pairing (one, current, changed_at) VALUES (1, 'value', 1)`,
  `INSERT INTO outbox_entry (id, type, resource_id, data, created_at, max_events, max_of_owner)
    VALUES (${ada(80)}, 'file.shared', ${ada(2)}, json_object('owner_id', 'ada', 'grantee_id', 'bob'), 1, 9, 9),
      (${ada(81)}, 'user.erased', 'erased', json_object('user_id', 'erased'), 1, 9, NULL)`,
  `UPDATE outbox SET parked_at = 1, attempts = 9, last_error = 'HTTP 500' WHERE id = ${ada(81)}`,
  // Of several databases: hints, and a move of another partition.
  `INSERT INTO share_hints (grantee_partition, grantee_id, partition, hinted_at) VALUES ('def', 'bob', 'abc', 1)`,
  `INSERT INTO branch_hints (source_id, partition, hinted_at) VALUES (${ada(40)}, 'def', 1)`,
  `INSERT INTO partitions (partition, state, moved_to) VALUES ('777', 'incoming', 'DB_1'), ('778', 'gone', 'DB_1')`,
  `INSERT INTO moves (one, id, role, other, position) VALUES (1, ${ada(90)}, 'target', 'DB_1', '{}')`,
  `INSERT INTO moving_users (user_id, size) VALUES ('carol', 1)`,
]

/** What the previous release does to remove all of it, so that every counter is released. */
export const removal: readonly string[] = [
  `UPDATE game_assets SET deleted_at = coalesce(deleted_at, 2000)`,
  `UPDATE game_assets SET purging = 1`,
  `DELETE FROM asset_versions`,
  `DELETE FROM game_assets`,
  `DELETE FROM files`,
  `DELETE FROM garbage`,
  `DELETE FROM uploads`,
  `DELETE FROM idempotency`,
  `DELETE FROM outbox`,
]

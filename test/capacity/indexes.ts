import { env } from 'cloudflare:test'

/** A step in the life of a row: its name, and the statement. */
type Step = readonly [step: string, statement: string]

/** The life of a row of each table, in statements that write what requests and the job write. */
const lives: Record<string, readonly Step[]> = {
  usage: [
    [
      'first write of a user',
      `INSERT INTO usage (user_id, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions, max_open_uploads,
        max_ended_uploads, max_idempotency_keys, partition, parts) VALUES ('new', 1, 1, 1, 1, 1, 1, 1, 1, 'abc', '{}')`,
    ],
    ['any further write', `UPDATE usage SET items = 1 WHERE user_id = 'new'`],
    ['first write through the release before', `UPDATE usage SET parts = NULL WHERE user_id = 'new'`],
    ['–', `DELETE FROM usage WHERE user_id = 'new'`],
  ],
  files: [
    ['create', file('file', 'file')],
    [
      'content arrives',
      `UPDATE files SET processing_state = 'ready', object_key = 'x', size_bytes = 9 WHERE id = 'file'`,
    ],
    ['rename', `UPDATE files SET name = 'renamed' WHERE id = 'file'`],
    ['move', `UPDATE files SET parent_id = 'elsewhere' WHERE id = 'file'`],
    ['delete', `UPDATE files SET trashed_at = 1 WHERE id = 'file'`],
    ['restore', `UPDATE files SET trashed_at = NULL WHERE id = 'file'`],
    ['block', `UPDATE files SET blocked = 1 WHERE id = 'file'`],
    ['unblock', `UPDATE files SET blocked = 0 WHERE id = 'file'`],
    ['delete', `UPDATE files SET trashed_at = 2 WHERE id = 'file'`],
    ['purge', `UPDATE files SET purging = 1 WHERE id = 'file'`],
    ['remove', `DELETE FROM files WHERE id = 'file'`],
    ['create a folder', file('folder', 'folder')],
    ['remove a folder', `DELETE FROM files WHERE id = 'folder'`],
    ['–', file('large', 'file')],
    [
      'content of 1 MiB arrives',
      `UPDATE files SET processing_state = 'ready', object_key = 'x', size_bytes = 1048576 WHERE id = 'large'`,
    ],
    ['remove 1 MiB', `DELETE FROM files WHERE id = 'large'`],
  ],
  uploads: [
    ['start', upload('upload', 'file', `'file of the upload'`, 'NULL')],
    ['complete', `UPDATE uploads SET state = 'completed' WHERE id = 'upload'`],
    ['remove', `DELETE FROM uploads WHERE id = 'upload'`],
    ['start, of an asset', upload('asset upload', 'game_asset', 'NULL', `'asset'`)],
    [
      'wait for a verdict',
      `UPDATE uploads SET state = 'completing', check_state = 'waiting', check_began_at = 1, check_next_at = 1 WHERE id = 'asset upload'`,
    ],
    ['ask again', `UPDATE uploads SET check_next_at = 2 WHERE id = 'asset upload'`],
    ['–', `DELETE FROM uploads WHERE id = 'asset upload'`],
  ],
  shares: [
    [
      'share',
      `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, expires_at, created_at)
        VALUES ('share', 'shared', 'ada', 'bob', 'view', 1, 1)`,
    ],
    ['change when it expires', `UPDATE shares SET expires_at = 2 WHERE id = 'share'`],
    ['expire', `UPDATE shares SET expired = 1 WHERE id = 'share'`],
    ['remove', `DELETE FROM shares WHERE id = 'share'`],
  ],
  share_hints: [
    [
      'first share with a user',
      `INSERT INTO share_hints (grantee_partition, grantee_id, partition, hinted_at) VALUES ('abc', 'bob', 'abc', 1)`,
    ],
    ['hint again', `UPDATE share_hints SET hinted_at = 2`],
    ['remove', 'DELETE FROM share_hints'],
  ],
  game_assets: [
    ['create', asset('asset', 'NULL')],
    ['publish', `UPDATE game_assets SET visibility = 'public' WHERE id = 'asset'`],
    ['rename', `UPDATE game_assets SET name = 'other', search_name = 'other' WHERE id = 'asset'`],
    ['a version more', `UPDATE game_assets SET current_version = 1, updated_at = 2 WHERE id = 'asset'`],
    ['delete', `UPDATE game_assets SET deleted_at = 1 WHERE id = 'asset'`],
    ['restore', 'UPDATE game_assets SET deleted_at = NULL'],
    ['delete', 'UPDATE game_assets SET deleted_at = 2'],
    ['purge', 'UPDATE game_assets SET purging = 1'],
    ['remove', 'DELETE FROM game_assets'],
    ['branch', asset('branch', `'source'`)],
    ['publish a branch', `UPDATE game_assets SET visibility = 'public' WHERE id = 'branch'`],
    ['–', 'DELETE FROM game_assets'],
  ],
  branch_hints: [
    [
      'first branch of another’s asset',
      `INSERT INTO branch_hints (source_id, partition, hinted_at) VALUES ('asset', 'abc', 1)`,
    ],
    ['hint again', 'UPDATE branch_hints SET hinted_at = 2'],
    ['remove', 'DELETE FROM branch_hints'],
  ],
  asset_versions: [
    ['–', asset('asset', 'NULL')],
    [
      'add',
      `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
        VALUES ('asset', 1, 'version', 1, 'text/plain', 'x', 1)`,
    ],
    ['–', 'UPDATE game_assets SET deleted_at = 1, purging = 1'],
    ['remove', 'DELETE FROM asset_versions'],
    ['–', 'DELETE FROM garbage'],
    ['–', 'UPDATE game_assets SET deleted_at = NULL, purging = 0, current_version = 0'],
    [
      'add 1 MiB',
      `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
        VALUES ('asset', 1, 'version', 1048576, 'text/plain', 'x', 1)`,
    ],
    ['–', 'UPDATE game_assets SET deleted_at = 1, purging = 1'],
    ['remove 1 MiB', 'DELETE FROM asset_versions'],
    ['–', 'DELETE FROM game_assets'],
    ['–', 'DELETE FROM garbage'],
  ],
  asset_variants: [
    ['–', asset('asset', 'NULL')],
    [
      '–',
      `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
        VALUES ('asset', 1, 'version', 1, 'text/plain', 'x', 1)`,
    ],
    [
      'add',
      `INSERT INTO asset_variants (asset_id, version, platform, size_bytes, mime_type, object_key, created_at)
        VALUES ('asset', 1, 'windows', 1, 'text/plain', 'y', 1)`,
    ],
    ['remove', 'DELETE FROM asset_variants'],
    ['–', 'UPDATE game_assets SET deleted_at = 1, purging = 1'],
    ['–', 'DELETE FROM asset_versions'],
    ['–', 'DELETE FROM game_assets'],
    ['–', 'DELETE FROM garbage'],
  ],
  idempotency: [
    [
      'create with a key',
      `INSERT INTO idempotency (caller_id, key, request_hash, made_id, created_at) VALUES ('ada', 'key', 'x', 'x', 1)`,
    ],
    ['remove', 'DELETE FROM idempotency'],
  ],
  garbage: [
    ['replace or remove content', `INSERT INTO garbage (object_key, writable_until) VALUES ('x', 1)`],
    ['look at it later', 'UPDATE garbage SET next_at = 1'],
    ['–', 'DELETE FROM garbage'],
    ['–', upload('aborted', 'game_asset', 'NULL', `'asset'`)],
    [
      'abort an upload',
      `INSERT INTO garbage (object_key, writable_until, enqueued_at) VALUES ('aborted', 3, 1)`,
    ],
    ['–', 'DELETE FROM garbage'],
    ['–', `DELETE FROM uploads WHERE id = 'aborted'`],
    [
      'keep content for a while',
      `INSERT INTO garbage (object_key, writable_until, kept_until, kept_for) VALUES ('z', 1, 1, 'ada')`,
    ],
    ['remove', 'DELETE FROM garbage'],
  ],
  erasures: [
    ['erase a user', `INSERT INTO erasures (user_id, until, mark) VALUES ('ada', 1, 'x')`],
    ['look at it later', 'UPDATE erasures SET next_at = 1'],
    ['remove', 'DELETE FROM erasures'],
  ],
  blocks: [
    ['block', `INSERT INTO blocks (kind, id, blocked_at, blocked_by) VALUES ('files', 'x', 1, 'bob')`],
    ['unblock', 'DELETE FROM blocks'],
  ],
  audit: [
    [
      'an act of an operator',
      `INSERT INTO audit (id, at, actor, scope, action, user_id, request_id) VALUES ('x', 1, 'bob', 'users:erase', 'eraseUser', 'ada', 'x')`,
    ],
    ['its status', 'UPDATE audit SET status = 202'],
    ['erase a user', `UPDATE audit SET user_id = 'mark'`],
    ['remove', 'DELETE FROM audit'],
  ],
  catalogue_entries: [
    [
      'come into the catalogue',
      `INSERT INTO catalogue_entries (number, id, revision, recounts, owner_id, type, name, search_name, tags, current_version, created_at,
        published_at, updated_at, favorites, facets, initials)
        VALUES (1, 'x', 1, 0, 'ada', 'world', 'x', 'x', '[]', 1, 1, 1, 1, 0, ' :world ', '')`,
    ],
    [
      'be taken out',
      `UPDATE catalogue_entries SET removed_at = 1, facets = '', initials = '', search_name = ''`,
    ],
    ['remove', 'DELETE FROM catalogue_entries'],
  ],
  catalogue_hidden_owners: [
    ['erase a user', `INSERT INTO catalogue_hidden_owners (owner_id, until, hidden_at) VALUES ('ada', 1, 1)`],
    ['look at it later', 'UPDATE catalogue_hidden_owners SET hidden_at = 2'],
    ['remove', 'DELETE FROM catalogue_hidden_owners'],
  ],
  favorites: [
    ['like', `INSERT INTO favorites (user_id, asset_id, id, created_at) VALUES ('ada', 'x', 'x', 1)`],
    ['like no longer', 'DELETE FROM favorites'],
    ['–', 'DELETE FROM favorite_recounts'],
  ],
  favorite_recounts: [
    ['like', `INSERT INTO favorite_recounts (asset_id, mark, due_at) VALUES ('x', 'x', 1)`],
    ['count later', 'UPDATE favorite_recounts SET due_at = 2'],
    ['count', 'DELETE FROM favorite_recounts'],
  ],
  mutes: [
    ['mute', `INSERT INTO mutes (user_id, muted_id, id, created_at) VALUES ('ada', 'x', 'x', 1)`],
    ['unmute', 'DELETE FROM mutes'],
  ],
  mute_lists: [
    ['mute', `INSERT INTO mute_lists (user_id, version, changed_at, due_at) VALUES ('ada', 'x', 1, 1)`],
    ['mute again', `UPDATE mute_lists SET version = 'y', due_at = 2`],
    ['copy', 'UPDATE mute_lists SET due_at = NULL'],
    ['erase a user', 'DELETE FROM mute_lists'],
  ],
  recalls: [
    [
      'recall saves',
      `INSERT INTO recalls (id, number, changed, from_time, until_time, newer, reason, created_at) VALUES ('recall', 1, 1, 1, 2, 'keep', 'a patch', 3)`,
    ],
    ['report', 'UPDATE recalls SET player_count = 1, slot_count = 1'],
    ['end the recall', 'UPDATE recalls SET ended_at = 4, changed = 2'],
    ['–', 'DELETE FROM recalls'],
  ],
  cases: [
    [
      'first report',
      `INSERT INTO cases (id, target_type, target_id, owner_id, created_at, changed_at) VALUES ('case', 'asset', 'x', 'ada', 1, 1)`,
    ],
    [
      'another report',
      `UPDATE cases SET report_count = 2, first_reported_at = 1, fresh_reporters = 2, seen = '{"spam":1}'`,
    ],
    [
      'decide',
      `UPDATE cases SET sequence = 1, decision_id = 'x', decided_at = 2, report_count = 0, first_reported_at = NULL`,
    ],
    ['have it applied', 'UPDATE cases SET applied = 1'],
    ['block', `UPDATE cases SET decision = '{"action":"block"}'`],
    ['appeal', 'UPDATE cases SET appealed_at = 3'],
    ['remove', 'DELETE FROM cases'],
  ],
  case_categories: [
    [
      'first report',
      `INSERT INTO case_categories (category, case_id, owner_id, state, sort_at, report_count, shown) VALUES ('spam', 'x', 'ada', 'open', 1, 1, '{}')`,
    ],
    ['another report', 'UPDATE case_categories SET report_count = 2'],
    ['decide', `UPDATE case_categories SET state = 'decided', report_count = 0`],
    ['remove', 'DELETE FROM case_categories'],
  ],
  reports: [
    [
      'report a user whom nobody knows',
      `INSERT INTO reports (id, reporter_id, target_type, target_id, category, is_illegal, created_at, key_hash) VALUES ('x', 'bob', 'user', 'nobody', 'spam', 0, 1, 'x')`,
    ],
    ['get its case', `UPDATE reports SET case_id = 'no case'`],
    ['erase a user', 'UPDATE reports SET reporter_id = NULL, key_hash = NULL'],
    ['remove', 'DELETE FROM reports'],
  ],
  decisions: [
    [
      'decide',
      `INSERT INTO decisions (id, case_id, sequence, round, target_type, target_id, owner_id, moderator_id, action, ground, statement, is_automated, created_at, appealable_until, key_hash)
        VALUES ('x', 'x', 1, 0, 'asset', 'x', 'ada', 'bob', 'warn', 'terms', 'x', 0, 1, 1, 'x')`,
    ],
    ['lift', 'UPDATE decisions SET lifted_at = 2'],
    ['erase a user', 'UPDATE decisions SET owner_id = NULL, moderator_id = NULL, key_hash = NULL'],
    ['remove', 'DELETE FROM decisions'],
  ],
  appeals: [
    [
      'appeal',
      `INSERT INTO appeals (id, case_id, decision_id, by, user_id, text, created_at) VALUES ('x', 'x', 'x', 'owner', 'ada', 'x', 1)`,
    ],
    ['answer', `UPDATE appeals SET state = 'upheld', decided_by = 'bob', decided_at = 2`],
    ['erase a user', 'UPDATE appeals SET user_id = NULL, decided_by = NULL'],
    ['remove', 'DELETE FROM appeals'],
  ],
  moderation_notices: [
    [
      'decide',
      `INSERT INTO moderation_notices (id, case_id, user_id, type, data, due_at) VALUES ('x', 'x', 'ada', 'x', '{}', 1)`,
    ],
    ['send later', 'UPDATE moderation_notices SET due_at = 2'],
    ['send', 'DELETE FROM moderation_notices'],
  ],
  outbox: [
    [
      'an event',
      `INSERT INTO outbox (id, type, resource_id, seq, data, created_at, next_at) VALUES ('x', 'x', 'x', 1, '{"owner_id":"ada","grantee_id":"bob","blocked_by":"carol"}', 1, 1)`,
    ],
    ['try to deliver it', 'UPDATE outbox SET attempts = 1, next_at = 2'],
    ['give it up', 'UPDATE outbox SET parked_at = 1'],
    ['remove', 'DELETE FROM outbox'],
  ],
  partitions: [
    [
      'move a partition away',
      `INSERT INTO partitions (partition, state, moved_to) VALUES ('abc', 'frozen', 'DB_1')`,
    ],
    ['switch it', `UPDATE partitions SET state = 'gone', has_rows = 0 WHERE partition = 'abc'`],
    ['–', `DELETE FROM partitions WHERE partition = 'abc'`],
  ],
}

function file(id: string, type: 'file' | 'folder'): string {
  const content = type === 'file' ? `'text/plain', 'pending'` : 'NULL, NULL'
  return `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state, created_at, updated_at)
    VALUES ('${id}', 'ada', 'parent', '${id}', '${type}', 0, ${content}, 1, 1)`
}

function upload(id: string, type: string, file_id: string, asset_id: string): string {
  return `INSERT INTO uploads (id, owner_id, upload_type, size_bytes, mime_type, file_id, asset_id, created_at, expires_at, url_ttl)
    VALUES ('${id}', 'ada', '${type}', 1, 'text/plain', ${file_id}, ${asset_id}, 1, 1, 1)`
}

function asset(id: string, source: string): string {
  return `INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, branched_from_asset_id, created_at, updated_at)
    VALUES ('${id}', 'ada', 'world', '${id}', '${id}', 'private', ${source}, 1, 1)`
}

/** What an index costs: the rows that each step writes because of it. A step that writes none is left out. */
export interface IndexCost {
  table: string
  rows_written: Record<string, number>
}

/**
 * What each index costs, by name: the rows that the life of a row of its table writes with the index and doesn't without it.
 * Indexes that constraints make can't be dropped, so they are not measured.
 */
export async function costsOfIndexes(): Promise<Record<string, IndexCost>> {
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO usage (user_id, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions, max_open_uploads,
        max_ended_uploads, max_idempotency_keys, partition) VALUES ('ada', 9999999, 99, 99, 99, 99, 99, 99, 99, 'abc')`,
    ),
    env.DB.prepare(file('shared', 'folder')),
  ])
  const { results: indexes } = await env.DB.prepare(
    `SELECT name, tbl_name AS "table", sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY tbl_name, rowid`,
  ).all<{ name: string; table: string; sql: string }>()
  const costs: Record<string, IndexCost> = {}
  const written = new Map<string, number[]>()
  for (const { name, table, sql } of indexes) {
    const life = lives[table]
    if (!life) throw new Error(`the index ${name} is of a table without a life: ${table}`)
    const all = written.get(table) ?? (await rowsWritten(life))
    written.set(table, all)
    await env.DB.prepare(`DROP INDEX ${name}`).run()
    const without = await rowsWritten(life)
    await env.DB.prepare(sql).run()
    const rows_written: Record<string, number> = {}
    for (const [i, [step]] of life.entries()) {
      const rows = (all[i] ?? 0) - (without[i] ?? 0)
      if (rows !== 0 && step !== '–') rows_written[step] = rows
    }
    if (Object.keys(rows_written).length === 0)
      throw new Error(`no step of the life of ${table} writes into ${name}`)
    costs[name] = { table, rows_written }
  }
  return costs
}

/** The rows that each step writes. */
async function rowsWritten(life: readonly Step[]): Promise<number[]> {
  const results = await env.DB.batch(life.map(([, statement]) => env.DB.prepare(statement)))
  return results.map(({ meta }) => meta.rows_written)
}

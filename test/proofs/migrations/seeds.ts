/** Rows for the tables as a migration finds them: as many in each, and of the kind that costs it most. */

/** SQL of an id for the number n, which sorts by it. `kind` tells the ids of one number from each other. */
const id = (kind: number) =>
  `printf('%08x-%04x-7%03x-8%03x-%012x', 26000000 + n / 65536, n % 65536, ${kind}, n % 4096, n)`

const user = `'user-' || n`

/** The SELECT of the rows of a table, which is given n from 0 on. Columns that are left out have their defaults. */
export const seeds: Readonly<Record<string, { columns: string; values: string }>> = {
  usage: {
    columns:
      'user_id, partition, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions, max_open_uploads, max_ended_uploads, max_idempotency_keys',
    values: `${user}, printf('%03x', n % 4096), 1, 1, 1, 1, 1, 1, 1, 1`,
  },
  files: {
    columns:
      'id, owner_id, name, asset_type, size_bytes, mime_type, processing_state, object_key, created_at, updated_at',
    values: `${id(1)}, ${user}, 'file ' || n, 'file', 10, 'text/plain', 'ready', ${id(2)}, n, n`,
  },
  uploads: {
    columns:
      'id, owner_id, upload_type, state, size_bytes, mime_type, file_id, completion_id, created_at, expires_at, url_ttl',
    values: `${id(2)}, ${user}, 'file', 'completed', 10, 'text/plain', ${id(1)}, ${id(3)}, n, n, 900`,
  },
  shares: {
    columns: 'id, file_id, owner_id, grantee_id, permission, expires_at, created_at',
    values: `${id(4)}, ${id(1)}, ${user}, 'friend-' || n, 'view', n, n`,
  },
  game_assets: {
    columns: 'id, owner_id, type, name, search_name, visibility, current_version, created_at, updated_at',
    values: `${id(5)}, ${user}, 'world', 'World of user ' || n, 'world of user ' || n, 'public', 1, n, n`,
  },
  catalogue_entries: {
    columns:
      'id, revision, recounts, owner_id, type, name, search_name, tags, current_version, created_at, published_at, updated_at, favorites, facets, initials',
    values: `${id(5)}, 1, 0, ${user}, 'world', 'World of user ' || n, 'world of user ' || n, '[]', 1, n, n, n, 0, ' :world ', '=77 =776F'`,
  },
  catalogue_by_published: { columns: 'rowid, facets', values: `(n << 32) | (n + 1), ' :world =77 =776F'` },
  catalogue_by_updated: { columns: 'rowid, facets', values: `(n << 32) | (n + 1), ' :world '` },
  catalogue_by_popular: { columns: 'rowid, facets', values: `n + 1, ' :world '` },
  catalogue_names: { columns: 'rowid, search_name', values: `(n << 32) | (n + 1), 'world of user ' || n` },
  catalogue_marks: { columns: 'asset_id, mark', values: `${id(5)}, 'mark'` },
  favorites: { columns: 'user_id, asset_id, id, created_at', values: `${user}, ${id(5)}, ${id(10)}, n` },
  favorite_counts: { columns: 'asset_id, users', values: `${id(5)}, 1` },
  favorite_recounts: { columns: 'asset_id, mark, due_at', values: `${id(5)}, 'mark', n` },
  mutes: { columns: 'user_id, muted_id, id, created_at', values: `${user}, 'foe-' || n, ${id(11)}, n` },
  mute_lists: { columns: 'user_id, version, changed_at', values: `${user}, ${id(11)}, n` },
  asset_versions: {
    columns: 'asset_id, version, id, size_bytes, mime_type, object_key, created_at',
    values: `${id(5)}, 1, ${id(6)}, 10, 'text/plain', ${id(7)}, n`,
  },
  asset_channels: {
    columns: 'asset_id, channel, version, updated_at',
    values: `${id(5)}, 'live', 1, n`,
  },
  asset_variants: {
    columns: 'asset_id, version, platform, size_bytes, mime_type, object_key, created_at',
    values: `${id(5)}, 1, 'android', 10, 'text/plain', ${id(18)}, n`,
  },
  large_versions: {
    columns: 'owner_id, size_bytes, asset_id, object_key, version, version_id',
    values: `${user}, 1048576, ${id(5)}, ${id(7)}, 1, ${id(6)}`,
  },
  audit: {
    columns: 'id, at, actor, scope, action, user_id, resource, reason, request_id, status',
    values: `${id(11)}, n, 'moderator-' || n % 10, 'content:moderate', 'blockFile', ${user}, ${id(1)}, 'Reported by players', ${id(12)}, 204`,
  },
  cases: {
    columns: 'id, target_type, target_id, owner_id, created_at, changed_at',
    values: `${id(13)}, 'asset', ${id(5)}, ${user}, n, n`,
  },
  case_categories: {
    columns: 'category, case_id, owner_id, state, sort_at, report_count, shown',
    values: `'spam', ${id(13)}, ${user}, 'open', n, 1, '{}'`,
  },
  reports: {
    columns: 'id, reporter_id, target_type, target_id, category, is_illegal, created_at',
    values: `${id(14)}, ${user}, 'user', 'friend-' || n, 'spam', 0, n`,
  },
  decisions: {
    columns:
      'id, case_id, sequence, target_type, target_id, owner_id, moderator_id, action, ground, statement, is_automated, created_at, appealable_until',
    values: `${id(15)}, ${id(13)}, 1, 'asset', ${id(5)}, ${user}, 'moderator-' || n % 10, 'warn', 'terms', 'A statement', 0, n, n`,
  },
  appeals: {
    columns: 'id, case_id, decision_id, by, user_id, text, created_at',
    values: `${id(16)}, ${id(13)}, ${id(15)}, 'owner', ${user}, 'An appeal', n`,
  },
  measures: { columns: 'kind, id, sequence, action', values: `'assets', ${id(5)}, 1, 'none'` },
  blocks: { columns: 'kind, id, blocked_at', values: `'files', ${id(1)}, n` },
  garbage: { columns: 'object_key, writable_until, enqueued_at', values: `${id(8)}, 0, n` },
  idempotency: {
    columns: 'caller_id, key, request_hash, made_id, created_at',
    values: `${user}, 'key', 'hash', ${id(1)}, n`,
  },
  profiles: { columns: 'user_id, picture_id, updated_at', values: `${user}, ${id(1)}, n` },
  share_hints: {
    columns: 'grantee_partition, grantee_id, partition, hinted_at',
    values: `printf('%03x', n % 4096), ${user}, 'abc', n`,
  },
  branch_hints: { columns: 'source_id, partition, hinted_at', values: `${id(5)}, 'abc', n` },
  recall_reports: { columns: 'id', values: id(17) },
  outbox: {
    columns: 'id, type, resource_id, seq, data, created_at, next_at, parked_at',
    values: `${id(9)}, 'file.shared', ${id(1)}, n, json_object('owner_id', ${user}, 'grantee_id', 'friend-' || n), n, n, n`,
  },
}

/** Tables that are never large, and why. */
export const small: Readonly<Record<string, string>> = {
  announcements: 'MAX_ANNOUNCEMENTS at most, in the first database',
  announcement_list: 'one row',
  recalls: 'What operators have recalled since the beginning, in the first database: some a year.',
  partitions: 'There are 4,096.',
  moves: 'One row.',
  moving_users: 'The users of a portion of a move.',
  bucket_pairing: 'One row.',
  progress: 'One row a task of the job.',
  outbox_counts: 'One row, and one for each owner of 16 events or more: at most a sixteenth of the outbox.',
  paused_owners: 'Owners for whom a step of the job fails: a step pauses a few.',
  trash_emptied: 'Until the job has purged them.',
  shares_to_notify:
    'Until the request that made the share is over, and after a crash until the next run of the job.',
  erasures: 'Until the job is done with them.',
  catalogue_hidden_owners: 'As erasures.',
  moderation_notices: 'Until the inboxes have them.',
}

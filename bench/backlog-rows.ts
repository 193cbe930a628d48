import { NO_PARTS } from '../src/features/quota/kinds.ts'

/** The part of a database that `left` uses, in Node as in the Workers runtime: the bench and tests use these rows. */
interface Database {
  prepare: (query: string) => { first: <Row>() => Promise<Row | null> }
}

/** Rows that are due for one of the job's tasks. */
interface Due {
  title: string
  rows: number
  statements: [statement: string, ...bound: (string | number)[]][]
}

/** How many rows one statement inserts. */
const SLICE = 10_000

/** Numbers ?1 to ?2, as rows `n (i)`. */
const numbers = 'WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)'

/** SQL of an id with a timestamp years ago, from the number `i`. */
const id = (kind: number) =>
  `printf('01800000-%04x-7%03x-8${kind}00-%012x', CAST(i AS INTEGER) / 65536, 0, CAST(i AS INTEGER))`

/** About `rows` rows in all, for every kind of row that the job removes. */
export function due(rows: number): Due[] {
  const of = (part: number) => Math.round(rows * part)
  const slices = (count: number, statement: string): Due['statements'] =>
    Array.from({ length: Math.ceil(count / SLICE) }, (_, i) => [
      `${numbers} ${statement}`,
      i * SLICE + 1,
      Math.min((i + 1) * SLICE, count),
    ])
  const task = (title: string, part: number, statement: string, ...before: string[]): Due => ({
    title,
    rows: of(part),
    statements: [...before.map((one): [string] => [one]), ...slices(of(part), statement)],
  })
  return [
    task(
      'ten users have deleted for good a folder of a hundred folders full of files',
      0.3,
      `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state, object_key, created_at, updated_at)
        SELECT ${id(1)}, 'trash-' || (CAST(i AS INTEGER) % 10),
          printf('folder-%d-%d', CAST(i AS INTEGER) % 10, CAST(i / 10 AS INTEGER) % 100), 'name ' || i, 'file', 1, 'text/plain', 'ready',
          ${id(1)}, 1, 1 FROM n`,
      accounts('trash-', 10),
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
        INSERT INTO files (id, owner_id, name, asset_type, size_bytes, created_at, updated_at, trashed_at, purging)
        SELECT 'top-' || i, 'trash-' || i, 'top', 'folder', 0, 1, 1, 1, 1 FROM n`,
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, created_at, updated_at)
        SELECT printf('folder-%d-%d', i % 10, i / 10), 'trash-' || (i % 10), 'top-' || (i % 10), 'folder', 'folder', 0, 1, 1 FROM n`,
    ),
    task(
      'a hundred users have emptied their trash',
      0.05,
      `INSERT INTO files (id, owner_id, name, asset_type, size_bytes, mime_type, processing_state, object_key, created_at, updated_at, trashed_at)
        SELECT ${id(8)}, 'trash-emptied-' || (CAST(i AS INTEGER) % 100), 'name ' || i, 'file', 1, 'text/plain', 'ready', ${id(8)}, 1, 1, i FROM n`,
      accounts('trash-emptied-', 100),
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
        INSERT INTO trash_emptied (owner_id, emptied_at) SELECT 'trash-emptied-' || i, 1000000000 FROM n`,
    ),
    task(
      'fifty users have been erased',
      0.05,
      `INSERT INTO files (id, owner_id, name, asset_type, size_bytes, mime_type, processing_state, object_key, created_at, updated_at)
        SELECT ${id(9)}, 'trash-erased-' || (CAST(i AS INTEGER) % 50), 'name ' || i, 'file', 1, 'text/plain', 'ready', ${id(9)}, 1, 1 FROM n`,
      accounts('trash-erased-', 50),
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49)
        INSERT INTO erasures (user_id, until, mark) SELECT 'trash-erased-' || i, 1000000000, 'x' FROM n`,
    ),
    task(
      'a thousand users have let uploads expire',
      0.1,
      `INSERT INTO uploads (id, owner_id, upload_type, size_bytes, mime_type, asset_type, name, visibility, created_at, expires_at, url_ttl)
        SELECT ${id(2)}, 'uploads-' || (CAST(i AS INTEGER) % 1000), 'game_asset', 1, 'a/b', 'world', 'x', 'private', 1, i, 3600 FROM n`,
      accounts('uploads-', 1_000),
    ),
    task(
      'uploads that ended long ago',
      0.1,
      `INSERT INTO uploads (id, owner_id, upload_type, size_bytes, mime_type, asset_type, name, visibility, created_at, expires_at, url_ttl)
        SELECT ${id(3)}, 'uploads-' || (CAST(i AS INTEGER) % 1000), 'game_asset', 1, 'a/b', 'world', 'x', 'private', 2, i, 3600 FROM n`,
    ),
    {
      title: 'they have failed',
      rows: 0,
      statements: [
        [
          `UPDATE uploads SET state = 'failed', failure_code = 'UPLOAD_MISMATCH', failure = 'x' WHERE created_at = 2`,
        ],
      ],
    },
    task(
      'shares that have expired',
      0.05,
      `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, created_at, expires_at)
        SELECT ${id(4)}, 'shared-' || (CAST(i AS INTEGER) % 100), 'shares-0', 'grantee-' || i, 'view', 1, i FROM n`,
      accounts('shares-', 1),
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
        INSERT INTO files (id, owner_id, name, asset_type, size_bytes, mime_type, processing_state, object_key, created_at, updated_at)
        SELECT 'shared-' || i, 'shares-0', 'shared', 'file', 1, 'a/b', 'ready', 'shared-' || i, 1, 1 FROM n`,
    ),
    task(
      'idempotency keys older than a day',
      0.1,
      `INSERT INTO idempotency (caller_id, key, request_hash, made_id, created_at)
        SELECT 'keys-' || (CAST(i AS INTEGER) % 100), 'key ' || i, 'h', 'm', i FROM n`,
      accounts('keys-', 100),
    ),
    task(
      'objects that no record refers to',
      0.1,
      `INSERT INTO garbage (object_key, writable_until) SELECT ${id(5)}, 1 FROM n`,
    ),
    task(
      'twenty users have deleted for good assets of a hundred versions',
      0.15,
      `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
        SELECT 'asset-' || CAST((i - 1) / 100 AS INTEGER), (CAST(i AS INTEGER) - 1) % 100 + 1, ${id(6)}, 1, 'a/b', ${id(7)}, 1 FROM n ORDER BY i`,
      accounts('assets-', 20),
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.ceil(of(0.15) / 100)})
        INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
        SELECT 'asset-' || i, 'assets-' || (i % 20), 'world', 'name ' || i, 'name ' || i, 'private', 1, 1 FROM n`,
    ),
    {
      title: 'the assets',
      rows: 0,
      statements: [[`UPDATE game_assets SET deleted_at = 1, purging = 1 WHERE owner_id LIKE 'assets-%'`]],
    },
  ]
}

const accounts = (prefix: string, count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
    INSERT INTO usage (user_id, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions, max_open_uploads,
      max_ended_uploads, max_idempotency_keys, partition, parts)
    SELECT '${prefix}' || i, 1e15, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, printf('%03x', i), '${NO_PARTS}' FROM n`

/** How many rows are due. */
export async function left(database: Database): Promise<number> {
  const row = await database
    .prepare(
      `SELECT (SELECT count(*) FROM files WHERE owner_id LIKE 'trash-%') + (SELECT count(*) FROM uploads)
        + (SELECT count(*) FROM shares WHERE expired = 0) + (SELECT count(*) FROM idempotency) + (SELECT count(*) FROM garbage)
        + (SELECT count(*) FROM asset_versions JOIN game_assets ON game_assets.id = asset_id WHERE purging = 1)
        + (SELECT count(*) FROM game_assets WHERE purging = 1) + (SELECT count(*) FROM trash_emptied)
        + (SELECT count(*) FROM erasures) AS count`,
    )
    .first<{ count: number }>()
  return row?.count ?? 0
}

import { env } from 'cloudflare:test'
import { NO_PARTS } from '../../src/features/quota/kinds.ts'

/** How many rows of a kind are measured. A user has twelve of them. */
const ROWS = 6_000

const USERS = ROWS / 12

/** Hexadecimal digits that look random and are the same each time: for ids of users and ends of ids. */
const hash = (i: string, digits: number, salt: number): string =>
  digits > 8
    ? `${hash(i, 8, salt)} || ${hash(i, digits - 8, salt + 1_000)}`
    : `substr(printf('%08x', ((${i} + ${salt * 7_919}) * 2654435761) & 4294967295), 1, ${digits})`

/** The id of a user, as long as a UUID. */
const user = (i: string) =>
  `${hash(i, 8, 1)} || '-' || ${hash(i, 4, 2)} || '-4' || ${hash(i, 3, 3)} || '-8' || ${hash(i, 3, 4)} || '-' || ${hash(i, 12, 5)}`

/** An id that sorts by its number, as the service makes them. */
const id = (i: string, salt: number) =>
  `printf('%08x-%04x-7', 0x19a00000 + ${i} / 65536, ${i} % 65536) || ${hash(i, 3, salt)} || '-9' || ${hash(i, 3, salt + 1)} || '-' || ${hash(i, 12, salt + 2)}`

/** Two rows of a user do not follow each other. */
const owner = user(`(i * 7919) % ${USERS}`)
const grantee = user(`(i * 104729) % ${USERS}`)
const name = (ending: string) => `printf('level-%06d${ending}', (i * 7919) % 1000003)`
/** In the future, so that the job finds nothing due. */
const time = '2140000000 + CAST(i AS INTEGER)'

/** A row of each kind as requests write it, with what it needs to be there. `i` is its number. */
const kinds: Record<string, string> = {
  user: `INSERT INTO usage (user_id, used_bytes, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
      max_open_uploads, max_ended_uploads, max_idempotency_keys, partition, parts)
    SELECT ${user('i')}, 0, 1073741824, 100000, 10000, 1000, 100000, 1000, 100000, 100000, 'abc', '${NO_PARTS}' FROM n WHERE i < ${USERS}`,
  file: `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state, object_key,
      created_at, updated_at)
    SELECT ${id('i', 10)}, ${owner}, ${id('(i % 1000)', 20)}, ${name('.sav')}, 'file', 200000 + i,
      'application/octet-stream', 'ready', ${id('i', 30)}, ${time}, ${time} FROM n`,
  upload: `INSERT INTO uploads (id, owner_id, upload_type, state, size_bytes, mime_type, checksum_sha256, file_id, completion_id,
      created_at, expires_at, url_ttl)
    SELECT ${id('i', 30)}, ${owner}, 'file', 'open', 200000 + i, 'application/octet-stream',
      'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=', ${id('i', 10)}, ${id('i', 40)}, ${time}, ${time} + 86400, 3600 FROM n`,
  share: `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, expires_at, created_at)
    SELECT ${id('i', 50)}, ${id('i', 10)}, ${owner}, ${grantee}, 'view', ${time} + 600, ${time} FROM n`,
  share_hint: `INSERT INTO share_hints (grantee_partition, grantee_id, partition, hinted_at)
    SELECT ${hash('i', 3, 60)}, ${user('i')}, ${hash('i', 3, 61)}, ${time} FROM n`,
  asset: `INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
    SELECT ${id('i', 70)}, ${owner}, 'world', ${name(' castle')}, ${name(' castle')}, 'private', ${time}, ${time} FROM n`,
  asset_published: `UPDATE game_assets SET visibility = 'public'`,
  version: `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
    SELECT ${id('i', 70)}, 1, ${id('i', 80)}, 2000000, 'application/octet-stream', ${id('i', 90)}, ${time} FROM n`,
  branch_hint: `INSERT INTO branch_hints (source_id, partition, hinted_at)
    SELECT ${id('i', 70)}, ${hash('i', 3, 91)}, ${time} FROM n`,
  idempotency_key: `INSERT INTO idempotency (caller_id, key, request_hash, made_id, created_at)
    SELECT ${owner}, ${user('i + 100000')}, 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=', ${id('i', 95)}, ${time} FROM n`,
}

/**
 * The bytes that a row of each kind takes in the database, with its indexes: how much the database grows by thousands of
 * them. `asset_published` is what a public asset takes beside its row.
 */
export async function bytesOfRows(): Promise<Record<string, number>> {
  const bytes: Record<string, number> = {}
  let before = await size()
  for (const [kind, insert] of Object.entries(kinds)) {
    const numbers = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})`
    await env.DB.prepare(insert.startsWith('INSERT') ? `${numbers} ${insert}` : insert).run()
    const after = await size()
    bytes[kind] = Math.round((after - before) / (kind === 'user' ? USERS : ROWS))
    before = after
  }
  return bytes
}

async function size(): Promise<number> {
  const { meta } = await env.DB.prepare('SELECT 1').run()
  return meta.size_after
}

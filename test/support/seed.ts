import { NO_PARTS } from '../../src/features/quota/kinds.ts'
import { newId, partitionNumber, partitionOf } from '../../src/platform/db/id.ts'
import { databaseOf, homeOf } from './databases.ts'
import { seedEntries } from './seed-entries.ts'

/** SQL: the `i`th id with the beginning of the id ?1. */
const NTH_ID = `substr(?1, 1, 29) || printf('%07x', i)`

/** Values for every column without a default, for rows that a test inserts by the thousand. Triggers count these rows. */
const siblings = (count: string) => `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
  INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state,
    object_key, created_at, updated_at)
  SELECT ${NTH_ID}, ?2, ?3, printf('name %07d', (i * 7919) % 1000003),
    CASE i % 5 WHEN 0 THEN 'folder' WHEN 1 THEN 'profile_pic' WHEN 2 THEN 'emote' WHEN 3 THEN 'chat_attachment' ELSE 'file' END,
    iif(i % 5 = 0, 0, i % 1000), iif(i % 5 = 0, NULL, 'text/plain'), iif(i % 5 = 0, NULL, 'ready'),
    iif(i % 5 = 0, NULL, printf('object-%s-%d', ?1, i)), 1700000000 + i / 3, 1700000000
  FROM n`

/** Puts `count` items of all types straight into the database, in one folder (or the root) of a user. */
export async function seedSiblings(owner_id: string, parent_id: string | null, count: number): Promise<void> {
  await openAccount(owner_id)
  await homeOf(owner_id)
    .prepare(siblings(String(Math.floor(count))))
    .bind(newId(owner_id), owner_id, parent_id)
    .run()
}

/** Defaults of limits that no test reaches, so that a request changes nothing in a seeded row of `usage`. */
export const roomy = {
  DEFAULT_QUOTA_BYTES: String(1e15),
  MAX_ITEMS: String(1e9),
  MAX_ASSETS: String(1e9),
  MAX_PUBLIC_ASSETS: String(1e9),
  MAX_VERSIONS: String(1e9),
  MAX_OPEN_UPLOADS: String(1e9),
  MAX_ENDED_UPLOADS: String(1e9),
  MAX_IDEMPOTENCY_KEYS: String(1e9),
}

/** Lets a user have as many items and bytes as a test needs. */
export async function openAccount(user_id: string): Promise<void> {
  await homeOf(user_id)
    .prepare(
      `INSERT INTO usage (user_id, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
      max_open_uploads, max_ended_uploads, max_idempotency_keys, partition, parts)
     VALUES (?1, ?2, ?3, ?3, ?3, ?3, ?3, ?3, ?3, ?4, '${NO_PARTS}')
     ON CONFLICT (user_id) DO UPDATE SET default_limit_bytes = ?2, max_items = ?3, max_assets = ?3,
      max_public_assets = ?3, max_versions = ?3, max_open_uploads = ?3, max_ended_uploads = ?3, max_idempotency_keys = ?3`,
    )
    .bind(user_id, roomy.DEFAULT_QUOTA_BYTES, roomy.MAX_ITEMS, partitionOf(user_id))
    .run()
}

/** Game assets to insert. */
interface SeededAssets {
  owner_id: string
  /** A text that makes their ids unique. */
  prefix: string
  /** The first and the last number. */
  from: number
  to: number
  visibility?: 'public' | 'private'
  is_deleted?: boolean
  branched_from?: string
}

/**
 * A unique name. Searches find "forest" in nine of ten names, "castle" in one of ten, "quartz" in one of a thousand, "zephyr"
 * in the seventh only.
 */
const NAME = `printf('%s %07d', CASE WHEN i = 7 THEN 'zephyr forest' WHEN i % 1000 = 1 THEN 'quartz forest'
  WHEN i % 10 = 0 THEN 'castle' ELSE 'forest' END, i)`
const TYPE = `CASE i % 3 WHEN 0 THEN 'world' WHEN 1 THEN 'avatar' ELSE 'prop' END`
const TIME = '1700000000 + i / 3'

/** SQL: the id that ends in the parameter. */
const idWith = (end: string) =>
  `printf('%08x-%04x-', (1700000000000 + i) / 65536, (1700000000000 + i) % 65536) || ${end}`

const assets = `
  WITH RECURSIVE n (i) AS (SELECT CAST(?3 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
  INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, branched_from_asset_id, created_at,
    updated_at, deleted_at)
  SELECT ${idWith('?2')}, ?1, ${TYPE}, ${NAME}, ${NAME}, ?5, ?6, ${TIME},
    1700000000, iif(?7, (${TIME}) * 1000, NULL) FROM n`

/** The entries of such assets. */
const entries = {
  id: idWith('?4'),
  owner_id: '?3',
  type: TYPE,
  name: NAME,
  tags: "'[]'",
  published_at: TIME,
  updated_at: '1700000000',
  favorites: '0',
}

/** Deletes the marks that triggers have set for assets whose ids end so: their entries have been written. */
const FORGET = 'DELETE FROM catalogue_marks WHERE substr(asset_id, 15) = ?'

/** The id of a seeded asset. Its time is the asset's number, so that ids sort by number. */
export function seededAsset(owner_id: string, prefix: string, number: number): string {
  const time = (1_700_000_000_000 + number).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-${endOf(owner_id, prefix)}`
}

/** The digits after the time in the ids of one owner's seeded assets. */
function endOf(owner_id: string, prefix: string): string {
  const digits = partitionNumber(prefix).toString(16).padStart(3, '0')
  const last = [...prefix].map((letter) => letter.charCodeAt(0).toString(16)).join('')
  return `7${digits}-9${partitionOf(owner_id)}-${last.slice(-12).padStart(12, '0')}`
}

/**
 * Puts assets of all types straight into the database, in slices that D1 is done with in time. For many, the triggers are away
 * meanwhile, which take a third of the time, and what they do for each row is done for all at once.
 */
export async function seedAssets({ owner_id, prefix, from, to, ...all }: SeededAssets): Promise<void> {
  const { visibility = 'public', is_deleted = false, branched_from = null } = all
  await openAccount(owner_id)
  const home = homeOf(owner_id)
  const text = endOf(owner_id, prefix)
  const insert = home.prepare(assets)
  const triggers = to - from < MANY ? [] : await triggersOf(home, 'game_assets')
  for (const { name } of triggers) await home.prepare(`DROP TRIGGER ${name}`).run()
  for (let first = from; first <= to; first += SLICE) {
    const last = Math.min(first + SLICE - 1, to)
    await insert.bind(owner_id, text, first, last, visibility, branched_from, Number(is_deleted)).run()
  }
  if (triggers.length > 0) await home.prepare(COUNTED).bind(owner_id).run()
  for (const { sql } of triggers) await home.prepare(sql).run()
  if (visibility === 'public' && !is_deleted)
    await seedEntries(entries, { from, to, values: [owner_id, text] })
  await home.prepare(FORGET).bind(text).run()
}

const MANY = 10_000

/** What `game_assets_after_insert_count` comes to. */
const COUNTED = `UPDATE usage SET
  assets = (SELECT count(*) FROM game_assets WHERE owner_id = ?1),
  public_assets = (SELECT count(*) FROM game_assets WHERE owner_id = ?1 AND visibility = 'public' AND deleted_at IS NULL)
  WHERE user_id = ?1`

/** The triggers of a table, in the order in which they were made. */
async function triggersOf(database: D1Database, table: string): Promise<{ name: string; sql: string }[]> {
  const { results } = await database
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? ORDER BY rowid`)
    .bind(table)
    .all<{ name: string; sql: string }>()
  return results
}

/**
 * Inserts public assets of three owners with names of 255 characters: `a` only, `b` only, and three of each in turn. Every
 * trigram of these letters is in many names, but most longer texts of them are in none.
 */
export async function seedHostileNames(
  owners: [string, string, string],
  from: number,
  to: number,
): Promise<void> {
  for (const owner of owners) await openAccount(owner)
  const ends = owners.map((owner) => endOf(owner, 'hostile'))
  const insert = `WITH RECURSIVE n (i) AS (SELECT CAST(?4 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?5)
    INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
    SELECT ${idWith(HOSTILE_TURN('?6', '?7', '?8'))}, ${HOSTILE_TURN('?1', '?2', '?3')}, ${HOSTILE_TYPE},
      ${HOSTILE_NAME}, ${HOSTILE_NAME}, 'public', 1700000000, 1700000000 FROM n WHERE i % 3 IN (SELECT value FROM json_each(?9))`
  for (const database of new Set(owners.map(homeOf))) {
    for (let first = from; first <= to; first += SLICE / 10)
      await database
        .prepare(insert)
        .bind(
          ...[...owners, first, Math.min(first + SLICE / 10 - 1, to)],
          ...ends,
          JSON.stringify([0, 1, 2].filter((turn) => homeOf(owners[turn] ?? '') === database)),
        )
        .run()
    for (const end of ends) await database.prepare(FORGET).bind(end).run()
  }
  const hostile = {
    ...entries,
    id: idWith(HOSTILE_TURN('?6', '?7', '?8')),
    owner_id: HOSTILE_TURN('?3', '?4', '?5'),
    type: HOSTILE_TYPE,
    name: HOSTILE_NAME,
    published_at: '1700000000',
  }
  await seedEntries(hostile, { from, to, values: [...owners, ...ends] })
}

/** SQL: one of three, in turn. */
const HOSTILE_TURN = (...[one, two, three]: [string, string, string]) =>
  `CASE i % 3 WHEN 0 THEN ${one} WHEN 1 THEN ${two} ELSE ${three} END`
const HOSTILE_TYPE = `iif(i % 7 = 0, 'prop', 'world')`
const HOSTILE_NAME = `substr(replace(printf('%050d', 0), '0', ${HOSTILE_TURN("'aaaaaa'", "'bbbbbb'", "'aaabbb'")}), 1, 248)
  || printf('%07d', i)`

const SLICE = 100_000

/** Inserts the hints of seeded shares. */
export async function hintShares(owner_id: string, grantee_id: string): Promise<void> {
  await homeOf(grantee_id)
    .prepare(
      'INSERT INTO share_hints (grantee_partition, grantee_id, partition, hinted_at) VALUES (?, ?, ?, 1)',
    )
    .bind(partitionOf(grantee_id), grantee_id, partitionOf(owner_id))
    .run()
}

/** Inserts the hints of these users' seeded branches. */
export async function hintBranches(source_id: string, owner_ids: string[]): Promise<void> {
  const hint = databaseOf(source_id).prepare(
    'INSERT INTO branch_hints (source_id, partition, hinted_at) VALUES (?, ?, 1) ON CONFLICT DO NOTHING',
  )
  await databaseOf(source_id).batch(owner_ids.map((owner_id) => hint.bind(source_id, partitionOf(owner_id))))
}

/** Puts `count` more versions of an asset straight into the database, each with content of its own. */
export async function seedVersions(asset_id: string, count: number): Promise<void> {
  await databaseOf(asset_id)
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
    INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
    SELECT ?1, had + i, printf('%s version %d', ?1, had + i), 1, 'text/plain',
      substr(?1, 1, 24) || printf('%012x', had + i), 1700000000
    FROM n, (SELECT current_version AS had FROM game_assets WHERE id = ?1) ORDER BY i`,
    )
    .bind(asset_id, count)
    .run()
}

/** Puts `count` uploads of a user's straight into the database, for new assets: open ones, completed ones, failed ones. */
export async function seedUploads(owner_id: string, count: number): Promise<void> {
  await openAccount(owner_id)
  const [id, home] = [newId(owner_id), homeOf(owner_id)]
  await home.batch([
    home
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
      INSERT INTO uploads (id, owner_id, upload_type, size_bytes, mime_type, asset_type, name, visibility,
        created_at, expires_at, url_ttl)
      SELECT ${NTH_ID}, ?2, 'game_asset', 1, 'text/plain', 'world', printf('seeded %d', i), 'private', i, 2000000000 + i, 3600
      FROM n`,
      )
      .bind(id, owner_id, count),
    home
      .prepare(
        `UPDATE uploads SET state = iif(expires_at % 3 = 0, 'completed', 'failed'),
        failure_code = iif(expires_at % 3 = 0, NULL, 'UPLOAD_MISMATCH'), failure = iif(expires_at % 3 = 0, NULL, 'seeded')
      WHERE owner_id = ?1 AND created_at <= ?2 AND expires_at % 3 < 2`,
      )
      .bind(owner_id, count),
  ])
}

/** Puts `count` folders straight into the database, in one folder of a user's. */
export async function seedFolders(owner_id: string, parent_id: string | null, count: number): Promise<void> {
  await openAccount(owner_id)
  await homeOf(owner_id)
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?4)
    INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, created_at, updated_at)
    SELECT ${NTH_ID}, ?2, ?3, printf('folder %07d', i), 'folder', 0, 1700000000, 1700000000
    FROM n WHERE i <= ?4`,
    )
    .bind(newId(owner_id), owner_id, parent_id, count)
    .run()
}

import { newId } from '../src/platform/db/id.ts'
import { insertEntries, migrate, openAccount } from './planting.ts'
import type { Database } from './serve.ts'

/** The user who sends every request. */
export const USER = 'bench-user'

const LEVELS = 10
const ITEMS = 10_000
const VERSIONS = 12
const PAGE = 100

/** The ids of the seeded rows that requests name. */
export interface Tree {
  /** A folder ten levels down, with 10,000 items of all types. */
  folder: string
  /** One of its items, with content. */
  item: string
  /** A folder beside it, for items that requests create. */
  inbox: string
  /** The items of a page beside it, all with content. Their ids are the service's own, as those of assets below. */
  page: string[]
  /** One of 10,000 public game assets, the only one with versions (twelve). */
  asset: string
  /** An asset with a version whose content the user uploaded, under ids as the service makes them. */
  own_asset: string
  /** Assets of a page, each with one version. */
  page_of_assets: string[]
}

/** Applies the migrations, and inserts the tree directly into the database, where triggers count it as usual. */
export async function plantTree(db: Database): Promise<Tree> {
  await migrate(db)
  await openAccount(db, USER)

  const own_asset = newId(USER)
  const pageFolder = id('page', 0)
  const page = Array.from({ length: PAGE }, () => newId(USER))
  const page_of_assets = Array.from({ length: PAGE }, () => newId(USER))
  const chain = Array.from({ length: LEVELS }, (_, level) => id('chain', level))
  const atRoot = Array.from({ length: 4 }, (_, i) => id('root', i))
  const [folder = '', inbox = id('inbox', 0)] = [chain.at(-1)]
  await db.batch([
    ...chain.map((folder, level) => newFolder(folder, chain[level - 1] ?? null)),
    ...atRoot.map((folder) => newFolder(folder, null)),
    newFolder(inbox, chain.at(-2) ?? null),
    newFolder(pageFolder, chain.at(-2) ?? null),
    db.prepare(pageItems).bind(USER, pageFolder, JSON.stringify(page)),
    db.prepare(pageAssets).bind(USER, JSON.stringify(page_of_assets)),
    db.prepare(pageVersions).bind(JSON.stringify(page_of_assets)),
    db.prepare(siblings).bind(USER, folder, ITEMS),
    db.prepare(assets).bind(USER, ITEMS),
    db.prepare(versions).bind(numbered('asset'), VERSIONS),
    db.prepare(ownAsset).bind(own_asset, USER),
    db.prepare(ownVersion).bind(own_asset, newId(USER), newId(USER)),
    db.prepare(entries),
    db.prepare('DELETE FROM catalogue_marks'), // as after the job
  ])
  return { folder, inbox, item: numbered('item'), page, asset: numbered('asset'), own_asset, page_of_assets }

  function newFolder(id: string, parent_id: string | null) {
    return db
      .prepare(
        `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?1, 'folder', 0, 1700000000, 1700000000)`,
      )
      .bind(id, USER, parent_id)
  }
}

function id(kind: string, i: number): string {
  return `${kind}-${i}`
}

/** The id in the middle of the numbered rows of a kind. */
function numbered(kind: string): string {
  return `${kind}-${String(ITEMS / 2 + 1).padStart(7, '0')}`
}

const siblings = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3),
  items (i, type) AS (SELECT i, CASE i % 5 WHEN 0 THEN 'folder' WHEN 1 THEN 'file' WHEN 2 THEN 'profile_pic'
    WHEN 3 THEN 'emote' ELSE 'chat_attachment' END FROM n)
  INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state,
    object_key, created_at, updated_at)
  SELECT printf('item-%07d', i), ?1, ?2, printf('item %07d', (i * 7919) % 1000003), type,
    iif(type = 'folder', 0, i), iif(type = 'folder', NULL, 'application/octet-stream'),
    iif(type = 'folder', NULL, 'ready'), iif(type = 'folder', NULL, printf('object-%d', i)),
    1700000000 + i / 3, 1700000000
  FROM items`

const assets = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2),
  named (i, name) AS (SELECT i, printf('%s %07d', iif(i % 10 = 0, 'castle', 'forest'), i) FROM n)
  INSERT INTO game_assets (id, owner_id, type, name, search_name, description, tags, visibility, created_at, updated_at)
  SELECT printf('asset-%07d', i), ?1, CASE i % 3 WHEN 0 THEN 'world' WHEN 1 THEN 'avatar' ELSE 'prop' END, name, name,
    'A place to meet.', json_array('calm', printf('tag-%d', i % 20)), 'public', 1700000000, 1700000000
  FROM named`

const entries = insertEntries(`SELECT id, owner_id, type, name, tags, published_at, updated_at, favorites
  FROM game_assets WHERE is_in_catalogue = 1 ORDER BY id`)

const ownAsset = `
  INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
  VALUES (?1, ?2, 'world', 'own', 'own', 'private', 1700000000, 1700000000)`

const ownVersion = `
  INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
  VALUES (?1, 1, ?2, 1024, 'application/octet-stream', ?3, 1700000000)`

const versions = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
  INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
  SELECT ?1, i, printf('version-%d', i), 1024, 'application/octet-stream', printf('content-%d', i), 1700000000 FROM n`

const pageItems = `
  INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state,
    object_key, created_at, updated_at)
  SELECT value, ?1, ?2, printf('item %d', key), 'file', 1, 'application/octet-stream', 'ready', 'page-' || key,
    1700000000, 1700000000
  FROM json_each(?3)`

const pageAssets = `
  INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
  SELECT value, ?1, 'world', printf('page %d', key), printf('page %d', key), 'private', 1600000000, 1600000000
  FROM json_each(?2)`

const pageVersions = `
  INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, created_at)
  SELECT value, 1, 'page-version-' || key, 1024, 'application/octet-stream', 'page-content-' || key, 1600000000
  FROM json_each(?1)`

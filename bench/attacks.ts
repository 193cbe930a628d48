import { insertEntries, openAccount } from './planting.ts'
import type { Database } from './serve.ts'

/** A request of costly work. `as`: the user who sends it, by default the owner of the seeded account. */
interface WorkRequest extends Pick<RequestInit, 'method' | 'body'> {
  path: string
  headers?: Record<string, string>
  scope?: string
  as?: string
}

/** Costly work beside which others wait. */
export interface Work {
  title: string
  /** Variables of the service, in addition to those of every bench. */
  variables?: Record<string, string>
  /** Inserts up to `rows` rows into the database. Returns the requests to send at the same time; none for the job. */
  seed: (db: Database, owner: string, rows: number) => Promise<WorkRequest[]>
}

/** The number of names of a hostile publisher. Each repeats one letter, so that it has the same trigram many times. */
const MOST_NAMES = 10_000

/** The ways for one account to delay the others as much as it can. */
export const attacks: Work[] = [
  {
    title: 'empty a trash of items that were deleted one by one',
    async seed(db, owner, rows) {
      await plantFiles(db, owner, { rows, parent_id: null, trashed: true })
      return [{ path: '/v1/trash', method: 'DELETE' }]
    },
  },
  {
    title: 'empty such a trash, each item 100 folders down',
    async seed(db, owner, rows) {
      const { last } = await plantChain(db, owner, 99)
      await plantFiles(db, owner, { rows, parent_id: last, trashed: true })
      return [{ path: '/v1/trash', method: 'DELETE' }]
    },
  },
  {
    title: 'empty such a trash with events on, each of 100 files shared with 500',
    variables: {
      // An unknown host: an unreachable receiver costs the most.
      WEBHOOK_URL: 'https://receiver.bench.example/events',
      WEBHOOK_SECRET: `whsec_${btoa('a secret of the bench, known to nobody')}`,
    },
    async seed(db, owner, rows) {
      await plantFiles(db, owner, { rows, parent_id: null, trashed: true })
      await plantShares(db, owner, 100, 500)
      return [{ path: '/v1/trash', method: 'DELETE' }]
    },
  },
  {
    title: 'delete a folder of items for good',
    async seed(db, owner, rows) {
      const { first, last } = await plantChain(db, owner, 2)
      await plantFiles(db, owner, { rows, parent_id: last })
      await db.prepare('UPDATE files SET trashed_at = 1700000000000 WHERE id = ?').bind(first).run()
      return [{ path: `/v1/trash/${first}`, method: 'DELETE' }]
    },
  },
  {
    title: 'erase a user of items',
    async seed(db, owner, rows) {
      await plantFiles(db, owner, { rows, parent_id: null })
      return [{ path: `/v1/users/${owner}`, method: 'DELETE', as: 'operator', scope: 'users:erase' }]
    },
  },
  {
    title: 'move a folder, folders below it, one deeper',
    async seed(db, owner, rows) {
      const [moved, target] = [await plantChain(db, owner, 1), await plantChain(db, owner, 2)]
      await plantFiles(db, owner, { rows, parent_id: moved.last, folders: true })
      const body = JSON.stringify({ parent_id: target.last })
      return [{ path: `/v1/files/${moved.first}`, method: 'PATCH', body, headers: json }]
    },
  },
  {
    title: 'ten times move it into itself',
    async seed(db, owner, rows) {
      const moved = await plantChain(db, owner, 2)
      await plantFiles(db, owner, { rows, parent_id: moved.last, folders: true })
      const body = JSON.stringify({ parent_id: moved.last })
      return Array.from({ length: 10 }, () => ({
        path: `/v1/files/${moved.first}`,
        method: 'PATCH',
        body,
        headers: json,
      }))
    },
  },
  {
    title: 'list a public folder of which almost all is blocked, as a stranger',
    async seed(db, owner, rows) {
      const { first } = await plantChain(db, owner, 1)
      await plantFiles(db, owner, { rows, parent_id: first })
      await db.batch([
        db.prepare('UPDATE files SET is_public = 1 WHERE id = ?').bind(first),
        db.prepare('UPDATE files SET blocked = 1 WHERE owner_id = ? AND parent_id = ?').bind(owner, first),
      ])
      return [{ path: `/v1/files?parent_id=${first}`, as: 'a stranger' }]
    },
  },
  {
    title: 'ten searches for 100 letters among two accounts’ hostile names',
    async seed(db, owner) {
      await plantNames(db, owner, 'a')
      await plantNames(db, `${owner} again`, 'b')
      const found = ['a'.repeat(100), 'b'.repeat(100), `${'a'.repeat(50)}${'b'.repeat(50)}`]
      return Array.from({ length: 10 }, (_, i) => ({ path: `/v1/game/public?q=${found[i % 3]}` }))
    },
  },
  {
    title: '200 uploads started with 60 KB of If-Match each',
    async seed(db, owner) {
      const { first } = await plantChain(db, owner, 1)
      await plantFiles(db, owner, { rows: 1, parent_id: first })
      const file = await db
        .prepare('SELECT id FROM files WHERE parent_id = ?')
        .bind(first)
        .first<string>('id')
      const body = JSON.stringify({
        upload_type: 'file',
        file_id: file,
        size_bytes: 1,
        mime_type: 'text/plain',
      })
      const tags = Array.from({ length: 3_500 }, (_, i) => `"${100_000_000_000_000 + i}"`)
      const headers = {
        ...json,
        'If-Match': ['"1"', ...tags]
          .join(',')
          .slice(0, 60_000)
          .replace(/,[^,]*$/, ''),
      }
      return Array.from({ length: 200 }, () => ({ path: '/v1/uploads', method: 'POST', body, headers }))
    },
  },
]

const json = { 'Content-Type': 'application/json' }

/** Inserts nested folders, from the root level on. */
async function plantChain(
  db: Database,
  owner: string,
  length: number,
): Promise<{ first: string; last: string }> {
  await openAccount(db, owner)
  const ids = Array.from({ length }, () => crypto.randomUUID())
  await db.batch(
    ids.map((id, level) =>
      db
        .prepare(
          `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, created_at, updated_at)
          VALUES (?1, ?2, ?3, ?1, 'folder', 0, 1700000000, 1700000000)`,
        )
        .bind(id, owner, ids[level - 1] ?? null),
    ),
  )
  return { first: ids[0] ?? '', last: ids.at(-1) ?? '' }
}

interface Planted {
  rows: number
  parent_id: string | null
  folders?: boolean
  trashed?: boolean
}

async function plantFiles(db: Database, owner: string, planted: Planted): Promise<void> {
  const { rows, parent_id, folders = false, trashed = false } = planted
  await openAccount(db, owner)
  await db
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(?4 AS INTEGER))
      INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state, object_key,
        created_at, updated_at, trashed_at)
      SELECT printf('%s-%07d', ?1, i), ?2, ?3, printf('name %d', i), iif(?5, 'folder', 'file'), 0,
        iif(?5, NULL, 'text/plain'), iif(?5, NULL, 'ready'), iif(?5, NULL, printf('object-%s-%d', ?1, i)),
        1700000000, 1700000000, iif(?6, 1700000000000 + i, NULL)
      FROM n`,
    )
    .bind(crypto.randomUUID(), owner, parent_id, rows, Number(folders), Number(trashed))
    .run()
}

/** Shares the first `files` files of an owner with `users` users each. */
async function plantShares(db: Database, owner: string, files: number, users: number): Promise<void> {
  await db
    .prepare(
      `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, created_at)
      SELECT printf('%s-%d', file.id, value), file.id, ?1, printf('friend-%d', value), 'view', 1700000000
      FROM (SELECT id FROM files WHERE owner_id = ?1 ORDER BY id LIMIT ?2) AS file CROSS JOIN json_each(?3)`,
    )
    .bind(owner, files, JSON.stringify(Array.from({ length: users }, (_, i) => i)))
    .run()
}

/** Inserts public assets whose names repeat one letter, with a number that makes each name unique, and their entries. */
async function plantNames(db: Database, owner: string, letter: string): Promise<void> {
  await openAccount(db, owner)
  await db
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
      INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, created_at, updated_at)
      SELECT printf('%s-%07d', ?1, i), ?2, 'prop', printf('%s%07d', ?4, i), printf('%s%07d', ?4, i), 'public',
        1700000000, 1700000000 FROM n`,
    )
    .bind(crypto.randomUUID(), owner, MOST_NAMES, letter.repeat(248))
    .run()
  const assets = `SELECT id, owner_id, type, name, tags, published_at, updated_at, favorites FROM game_assets WHERE owner_id = ?`
  await db.prepare(insertEntries(assets)).bind(owner).run()
}

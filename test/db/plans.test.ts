import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { databasesOver } from '../support/context.ts'
import { publishTo } from '../support/device.ts'
import { meter } from '../support/meter.ts'
import { faultsOf, type Note } from '../support/plans.ts'
import { knownOfDatabase, plansInDatabase, sent } from '../support/trace.ts'
import { operator, signUp } from '../support/user.ts'
import { triggerFaults } from './trigger-plans.ts'

async function faults(query: string, notes: Note[] = []): Promise<string[]> {
  const [plan = []] = await plansInDatabase([query])
  return faultsOf(query, plan, { ...(await knownOfDatabase()), notes })
}

const walk = (id: string) => `(WITH RECURSIVE walk (parent_id, blocked) AS (
    SELECT parent_id, blocked FROM files WHERE id = ${id}
    UNION ALL SELECT above.parent_id, above.blocked FROM walk JOIN files AS above ON above.id = walk.parent_id
  ) SELECT max(blocked) FROM walk)`

/** So many names and values for \`json_object\`, with commas in texts and in calls of their own. */
const pairs = (count: number) =>
  Array.from({ length: count }, (_, i) => `'a, ''(${i}', max(${i}, 1)`).join(', ')

describe('a statement fails the run', () => {
  it.for([
    ['reads a whole table', 'a table without an index', 'SELECT id FROM files WHERE name = ?'],
    ['and by another name', 'a table without an index', 'SELECT f.id FROM files f WHERE f.size_bytes > ?'],
    ['and to change it', 'a table without an index', 'UPDATE files SET blocked = 1 WHERE is_public = 1'],
    ['and to remove', 'a table without an index', 'DELETE FROM shares WHERE grantee_id = ? AND expired = ?'],
    [
      'binds the row that is meant to the table inside',
      'a table without an index',
      `UPDATE files SET blocked = ${walk('files.id')} WHERE id IN (SELECT id FROM files WHERE owner_id = ? LIMIT 9)`,
    ],
    [
      'has a WITH of a table’s name',
      'a table without an index',
      'WITH x AS (SELECT 1) SELECT x.id FROM files AS x',
    ],
    [
      'goes through an index',
      'an index without a bound',
      'SELECT created_at FROM idempotency ORDER BY created_at LIMIT 9',
    ],
    [
      'goes through a partial index',
      'an index without a bound',
      'SELECT id FROM game_assets WHERE purging = 1 AND deleted_at < ?',
    ],
    [
      'takes what is there for a bound',
      'a bound that all rows are within',
      'SELECT id FROM game_assets INDEXED BY game_assets_by_deletion WHERE deleted_at IS NOT NULL AND purging = 0 AND owner_id = ?',
    ],
    ['counts all', 'an index without a bound', 'SELECT count(*) FROM idempotency'],
    ['looks for the largest of all', 'an index without a bound', 'SELECT max(size_bytes) FROM files'],
    [
      'looks for the last of some',
      'an index without a bound',
      'SELECT max(next_at) FROM garbage WHERE writable_until < ?',
    ],
    [
      'has a bound of few values',
      'a bound that most rows are within',
      `SELECT id FROM game_assets WHERE type = ? AND visibility = 'public' AND is_listed = 1 LIMIT 9`,
    ],
    [
      'looks for a row in a list for each row',
      'a correlated subquery without an index',
      'SELECT (SELECT count(*) FROM json_each(?) WHERE value = shares.file_id) FROM shares WHERE grantee_id = ? AND expired = 0',
    ],
    [
      'goes through rows of its own for each row',
      'a correlated subquery without an index',
      `WITH some AS MATERIALIZED (SELECT file_id AS id FROM uploads WHERE owner_id = ? AND upload_type = 'game_asset')
        SELECT (SELECT count(*) FROM some WHERE some.id > shares.file_id) FROM shares WHERE grantee_id = ? AND expired = 0`,
    ],
    [
      'reads a table for each row',
      'a table without an index',
      'SELECT (SELECT count(*) FROM uploads WHERE mime_type = files.mime_type) FROM files WHERE id = ?',
    ],
    [
      'compares two lists with each other',
      'a join without an index',
      'SELECT 1 FROM json_each(?) AS one JOIN json_each(?) AS other ON other.key > one.key',
    ],
    [
      'builds an index',
      'an index is built for this statement',
      `SELECT 1 FROM (SELECT asset_id AS a FROM asset_versions WHERE asset_id = ? LIMIT 9) AS one
        JOIN (SELECT object_key AS b FROM asset_versions WHERE asset_id = ? LIMIT 9) AS other ON a = b`,
    ],
    [
      'sorts',
      'a temporary B-tree',
      'SELECT id FROM files WHERE owner_id = ? AND parent_id = ? ORDER BY revision',
    ],
    [
      'sorts the last',
      'a temporary B-tree',
      'SELECT object_key FROM garbage WHERE next_at < ? ORDER BY next_at, writable_until',
    ],
    ['groups', 'a temporary B-tree', 'SELECT mime_type FROM uploads WHERE file_id = ? GROUP BY mime_type'],
    [
      'sees to it that each is there once',
      'a temporary B-tree',
      'SELECT DISTINCT mime_type FROM uploads WHERE file_id = ?',
    ],
    [
      'unites what is in no order',
      'a temporary B-tree',
      'SELECT mime_type FROM files WHERE id = ? UNION SELECT mime_type FROM uploads WHERE file_id = ?',
    ],
    [
      'reads all names',
      'a virtual table without a bound',
      'SELECT rowid FROM catalogue_names ORDER BY rowid LIMIT 9',
    ],
    [
      'reads all names for one',
      'a virtual table without a bound',
      `SELECT rowid FROM catalogue_names WHERE length(search_name) = 1`,
    ],
    [
      'calls a function with more arguments than D1 takes',
      'json_object has 34 arguments, and D1 takes 32',
      `SELECT coalesce(1, json_object(${pairs(17)})) FROM files WHERE id = ?`,
    ],
  ] as const)('that %s: %s', async ([, fault, query]) => {
    expect(await faults(query)).toContainEqual(expect.stringMatching(new RegExp(`^${fault}(: |$)`)))
  })
})

describe('a statement passes', () => {
  it.for([
    ['goes by a key', 'SELECT id FROM files WHERE id = ?'],
    [
      'goes by an index',
      'SELECT id FROM asset_versions WHERE asset_id = ? AND version < ? ORDER BY version DESC LIMIT 9',
    ],
    ['walks to the root', `SELECT ${walk('?')}`],
    [
      'walks from each row',
      `UPDATE files AS f SET blocked = ${walk('f.id')} WHERE f.id IN (SELECT value FROM json_each(?))`,
    ],
    [
      'goes through a list that it was given',
      'SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM files WHERE id = value)',
    ],
    [
      'goes through a list of each row',
      `SELECT uploads.id FROM uploads WHERE file_id = ? AND EXISTS (SELECT 1 FROM json_each(uploads.parts) AS part CROSS JOIN files WHERE files.id = part.value)`,
    ],
    ['merges', 'SELECT id FROM garbage JOIN uploads ON id = object_key WHERE next_at < ? ORDER BY next_at'],
    [
      'searches names',
      'SELECT rowid FROM catalogue_names WHERE catalogue_names MATCH ? ORDER BY rowid DESC LIMIT 9',
    ],
    [
      'searches names for each of a few',
      'SELECT (SELECT rowid FROM catalogue_names WHERE catalogue_names MATCH value LIMIT 1) FROM json_each(?)',
    ],
    ['looks at one name', 'SELECT rowid FROM catalogue_names WHERE rowid = ?'],
    ['asks for less than something', 'SELECT object_key FROM garbage WHERE next_at <= ?'],
    ['asks for more', 'SELECT id FROM shares WHERE grantee_id = ? AND expired = 0 AND id > ?'],
    ['goes on after a row', 'SELECT object_key FROM garbage WHERE (next_at, object_key) > (?, ?) LIMIT 9'],
    ['inserts', 'INSERT INTO garbage (object_key, writable_until) VALUES (?, ?), (?, ?)'],
    [
      'calls a function with as many arguments as D1 takes',
      `SELECT json_object(${pairs(16)}) FROM files WHERE id = ?`,
    ],
    [
      'has a longer list of values',
      `SELECT 1 FROM files WHERE id = ? AND asset_type IN (${Array(33).fill(1)})`,
    ],
    [
      'has a WITH of more columns',
      `WITH wide (${Array.from({ length: 33 }, (_, i) => `c${i}`)}) AS (SELECT ${Array(33).fill(1)}) SELECT c0 FROM wide`,
    ],
  ] as const)('that %s', async ([, query]) => {
    expect(await faults(query)).toEqual([])
  })

  it('that is noted, and only with the plan that is noted', async () => {
    const query = 'SELECT id FROM files ORDER BY revision'
    const note = { statement: 'FROM files ORDER BY revision', plan: 'SCAN files', reason: 'a test' }
    expect(await faults(query, [note])).toEqual([expect.stringContaining('a temporary B-tree')])
    const sort = { ...note, plan: 'USE TEMP B-TREE FOR ORDER BY' }
    expect(await faults(query, [note, sort])).toEqual([])
    expect(await faults('SELECT name FROM files', [note, sort])).toHaveLength(1)
  })
})

it('every statement of the service is noted, to D1 and to an inbox, and none that a test sends itself', async () => {
  const ada = await signUp('ada')
  await ada.folder('Maps')
  await publishTo(ada, 'a friend') // an inbox has tables from its first notification on
  expect((await ada.get('/notifications')).status).toBe(200)
  const own = 'SELECT 1 FROM files WHERE id = ?'
  await env.DB.prepare(own).bind('x').all()
  await databasesOver().whole('DB').read(sql`SELECT 1 FROM files WHERE id = ${'x'}`)
  expect([...sent.database]).toContainEqual(expect.stringContaining('INSERT INTO "files"'))
  expect([...sent.inbox]).toContainEqual(expect.stringContaining('FROM notifications'))
  expect([...sent.database]).not.toContain(own)
})

it('a statement is noted, too, that a test counts the cost of', async () => {
  const { service } = meter()
  const moderator = (await operator('content:moderate')).through(service)
  expect((await moderator.get('/blocked?owner_id=ada')).status).toBe(200)
  expect([...sent.database]).toContainEqual(expect.stringContaining('INDEXED BY blocks_in_partition'))
})

describe('what triggers and foreign keys do', () => {
  it('goes by an index', async () => {
    expect(await triggerFaults()).toEqual([])
  })

  it.for([
    ['reads a table', 'DELETE FROM uploads WHERE mime_type = OLD.id', 'goes through uploads'],
    ['reads an index', 'UPDATE files SET blocked = 1 WHERE trashed_at IS NOT NULL', 'goes through files'],
    [
      'sorts',
      'INSERT INTO progress SELECT id, id FROM uploads WHERE file_id = OLD.id ORDER BY mime_type',
      'sorts',
    ],
    [
      'reads all names',
      `DELETE FROM catalogue_names WHERE length(search_name) = 1`,
      'goes through a virtual table',
    ],
    [
      'calls a function with too many arguments',
      `DELETE FROM uploads WHERE id = json_object(${pairs(17)})`,
      ': json_object has 34 arguments',
    ],
  ] as const)('fails when it %s', async ([, body, fault]) => {
    await env.DB.prepare(`CREATE TRIGGER bad AFTER DELETE ON shares BEGIN ${body}; END`).run()
    try {
      expect(await triggerFaults()).toContainEqual(expect.stringMatching(new RegExp(`^bad ?${fault}`)))
    } finally {
      await env.DB.prepare('DROP TRIGGER bad').run()
    }
  })
})

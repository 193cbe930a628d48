import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dumpOf } from '../../scripts/backup/dump.ts'
import { seeds } from '../proofs/migrations/seeds.ts'
import { project } from './citations.ts'
import { Studio, settings } from './deploy/run.ts'
import { ACCOUNT, databaseOf } from './deploy/stand-in.ts'
import { pathOf, StandInD1 } from './deploy/stand-in-d1.ts'

const [MANY, FEW] = [1_100, 3] // three pages, and one

/** Tables of each kind that pages are read of: by the rowid, by keys of one to four columns, and by one whose rows begin alike. */
const large = ['game_assets', 'files', 'asset_versions', 'asset_variants', 'large_versions', 'measures']

/** Full-text tables, and their tables. */
const fullText = /^catalogue_(by_|names)/

/** Tables whose rows `npm run catalogue -- rebuild` writes. */
const derived = /^catalogue_(entries$|by_|names)/

let studio: Studio
let output: string

/** Two databases, and a folder for the files. */
beforeEach(async () => {
  const databases = ['game', 'game-1'].map((name) => databaseOf(name))
  const inSettings = databases.map(({ name, uuid: id }, i) => ({
    binding: i === 0 ? 'DB' : 'DB_1',
    name,
    id,
  }))
  studio = await Studio.with({ ...settings, account_id: ACCOUNT, databases: inSettings })
  studio.change((account) => ({ ...account, databases }))
  for (const { uuid } of databases) {
    const database = new StandInD1(studio.accountFile, uuid)
    database.migrate(`${project}migrations`)
    database.close()
  }
  output = mkdtempSync(join(tmpdir(), 'edge-game-storage-backup-'))
})
afterEach(() => {
  studio.end()
  rmSync(output, { recursive: true, force: true })
})

const source = (index = 0) =>
  new DatabaseSync(pathOf(studio.accountFile, studio.account.databases[index]?.uuid ?? ''))

/** Executes without the triggers, which ask for quotas and count. */
function withoutTriggers(database: DatabaseSync, statements: string[]): void {
  const triggers = database.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all()
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`)
  for (const statement of statements) database.exec(statement)
  for (const { sql } of triggers) database.exec(String(sql))
}

/** Fills every table that can be large, also with values that are hard to write. */
function fill(database: DatabaseSync): void {
  const numbersTo = (rows: number) =>
    `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows - 1})`
  const inserts = Object.entries(seeds).flatMap(([table, { columns, values }]) =>
    fullText.test(table)
      ? []
      : [
          `${numbersTo(large.includes(table) ? MANY : FEW)} INSERT INTO ${table} (${columns}) SELECT ${values} FROM numbers`,
        ],
  )
  withoutTriggers(database, [
    ...inserts,
    `UPDATE files SET name = 'O''Brien; "x"' || char(10) || '-- 🙂' || id WHERE id IN (SELECT id FROM files LIMIT 3)`,
    'UPDATE game_assets SET favorites = 9007199254740993 WHERE id IN (SELECT id FROM game_assets LIMIT 1)',
  ])
}

const backUp = () => studio.run('scripts/backup.ts', ['--output', output])

const filesOf = (name: string) => readdirSync(output).filter((file) => file.startsWith(`${name}-2`))

/** What D1's import makes of the file. */
function restored(name: string): DatabaseSync {
  const [file = ''] = filesOf(name)
  const database = new DatabaseSync(':memory:')
  database.exec(`BEGIN; ${readFileSync(join(output, file), 'utf8')} COMMIT`)
  return database
}

const schemaOf = (database: DatabaseSync) =>
  database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()

/** The rows of each table, as text. */
function rowsOf(database: DatabaseSync): Record<string, string[]> {
  const tables = database
    .prepare(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'`,
    )
    .all()
    .map(({ name }) => String(name))
  return Object.fromEntries(
    tables
      .filter((name) => !derived.test(name))
      .map((name) => {
        const columns = database.prepare(`SELECT name FROM pragma_table_xinfo('${name}')`).all()
        const values = columns.map((column) => `quote("${column.name}")`).join(` || ',' || `)
        const rows = database.prepare(`SELECT ${values} AS row FROM "${name}" ORDER BY 1`).all()
        return [name, rows.map(({ row }) => String(row))]
      }),
  )
}

describe('npm run backup', () => {
  it('writes every row and the schema of each database, so that an import makes the same database', {
    timeout: 60_000,
  }, async () => {
    fill(source())
    const run = await backUp()
    expect(run).toMatchObject({
      code: 0,
      output: expect.stringMatching(/✓ game: [\d,]+ rows of \d+ tables in \S+\.sql/),
    })
    expect([filesOf('game'), filesOf('game-1')]).toEqual([
      [expect.stringMatching(/^game-[\dT-]+\.sql$/)],
      [expect.stringMatching(/^game-1-[\dT-]+\.sql$/)],
    ])
    const copy = restored('game')
    expect(schemaOf(copy)).toEqual(schemaOf(source()))
    const rows = rowsOf(copy)
    for (const name of large) expect(rows[name], name).toHaveLength(MANY)
    expect(rows.d1_migrations?.length).toBeGreaterThan(10)
    expect(rows).toEqual(rowsOf(source()))
    const entries = 'SELECT count(*) AS found FROM catalogue_entries'
    expect([source(), copy].map((database) => database.prepare(entries).get()?.found)).toEqual([FEW, 0])
    // Triggers work from then on, also those of the catalogue.
    const { columns, values } = seeds.catalogue_entries ?? { columns: '', values: '' }
    copy.exec(`INSERT INTO catalogue_entries (${columns}) SELECT ${values} FROM (SELECT 1 AS n)`)
    expect(
      copy
        .prepare(
          `SELECT count(*) AS found FROM catalogue_by_updated WHERE catalogue_by_updated MATCH '":world"'`,
        )
        .get(),
    ).toEqual({ found: 1 })
    expect(statSync(join(output, filesOf('game')[0] ?? '')).mode & 0o077).toBe(0)
  })

  it('leaves out a row whose foreign key leads nowhere, because its table was read at another moment', {
    tags: 'release',
  }, async () => {
    const database = source()
    fill(database)
    database.exec('PRAGMA foreign_keys = OFF')
    withoutTriggers(database, ['DELETE FROM files WHERE id IN (SELECT file_id FROM shares LIMIT 1)'])
    const orphans = database.prepare('SELECT count(*) AS found FROM pragma_foreign_key_check').get()
    expect(orphans).toEqual({ found: 1 })
    expect((await backUp()).code).toBe(0)
    const copy = restored('game')
    expect(copy.prepare('PRAGMA foreign_key_check').all()).toEqual([])
    expect(rowsOf(copy).shares).toHaveLength(FEW - 1)
  })

  it('repeats a read that Cloudflare did not serve', { tags: 'release' }, async () => {
    fill(source())
    studio.change((account) => ({ ...account, queryFaults: [429] }))
    expect((await backUp()).code).toBe(0)
    expect(rowsOf(restored('game'))).toEqual(rowsOf(source()))
  })

  it('leaves no file that looks complete when a read is refused', async () => {
    studio.change((account) => ({ ...account, queryFaults: [403] }))
    const run = await backUp()
    expect(run).toMatchObject({
      code: 1,
      output: expect.stringMatching(/✗ \S+\/query of Cloudflare's API answered 403/),
    })
    expect(readdirSync(output).filter((file) => file.endsWith('.sql'))).toEqual([])
  })
})

it('a row that is too long for a statement of D1 stops a dump', async () => {
  const database = source()
  database.exec(`INSERT INTO progress (task, position) VALUES ('long', '${'x'.repeat(100_000)}')`)
  const taken = async () => {
    for await (const _ of dumpOf(
      async (sql) => database.prepare(sql).all(),
      () => {},
    ));
  }
  await expect(taken()).rejects.toThrow('A row of progress has more than 100000 bytes')
})

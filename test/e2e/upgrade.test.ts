import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { project } from '../../scripts/development.ts'
import { migrationsIn } from '../../scripts/migrations/files.ts'
import { rowidOf } from '../support/row-ids.ts'
import { changes } from './upgrade/changes.ts'
import { differencesOf, unexplained } from './upgrade/compare.ts'
import { databaseWith, partsOf } from './upgrade/parts.ts'
import { removal, rows } from './upgrade/rows.ts'

const { previousRelease } = z
  .object({ previousRelease: z.object({ version: z.string(), commit: z.string() }) })
  .parse(JSON.parse(readFileSync(`${project}package.json`, 'utf8')))
const { commit } = previousRelease
const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { encoding: 'utf8' })
const isShallow = git('rev-parse', '--is-shallow-repository').trim() === 'true'

const here = readdirSync(`${project}migrations`).sort()
const today = migrationsIn(`${project}migrations`)
const before = () => git('ls-tree', '--name-only', commit, 'migrations/').split('\n').filter(Boolean)
const old = () => before().map((path) => git('show', `${commit}:${path}`))
const newer = () => today.slice(before().length)

describe.skipIf(isShallow)('migrations since the previous release', () => {
  it('leave its own as they were: a deployment has applied them', () => {
    expect(before().length).toBeGreaterThan(0)
    expect(here.slice(0, before().length).map((name) => `migrations/${name}`)).toEqual(before())
    for (const path of before())
      expect(readFileSync(`${project}${path}`, 'utf8'), path).toBe(git('show', `${commit}:${path}`))
  })

  it('remove and rename nothing that its code reads or writes, and refuse no row that it writes', () => {
    expect(unexplained(differencesOf(databaseWith(old()), newer()), changes)).toEqual([])
  })

  it('keep every row and every value, and leave the same tables as in an empty database', () => {
    const database = databaseWith(old())
    for (const statement of rows) database.exec(statement)
    const content = contentOf(database)
    expect(content.filter(([, there]) => there.length === 0).map(([table]) => table)).toEqual([])
    for (const { sql } of newer()) database.exec(sql)

    for (const [table, there] of content) expect(rowsOf(database, table, there), table).toEqual(there)
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
    expect([...partsOf(database)]).toEqual([...partsOf(databaseWith(today.map(({ sql }) => sql)))])
  })

  it('number the assets anew, find them by name, and know the partitions of users who have something', () => {
    const database = databaseWith([...old(), ...rows, ...newer().map(({ sql }) => sql)])
    const assets = database.prepare('SELECT id, CAST(number AS TEXT) AS number FROM game_assets').all()
    expect(assets.length).toBeGreaterThan(3)
    for (const { id, number } of assets) expect(number).toBe(rowidOf(String(id)))
    const search = database.prepare(
      `SELECT name FROM public_names CROSS JOIN game_assets ON number = public_names.rowid WHERE public_names MATCH ?`,
    )
    // Bob's is blocked, the others are private or deleted.
    expect(search.all('wor')).toEqual([{ name: 'World of Ada' }])
    for (const trigram of ['swo', 'gon', 'pur', 'kep']) expect(search.all(trigram)).toEqual([])
    const named = database.prepare('SELECT CAST(rowid AS TEXT) AS number FROM public_names').all()
    expect(named).toEqual(
      database.prepare('SELECT CAST(number AS TEXT) AS number FROM game_assets WHERE is_listed = 1').all(),
    )
    expect(database.prepare('SELECT user_id, partition FROM usage ORDER BY user_id').all()).toEqual([
      { user_id: 'ada', partition: 'abc' },
      { user_id: 'bob', partition: 'def' },
      { user_id: 'empty', partition: null },
    ])
    const shared = database.prepare('SELECT object_key FROM garbage WHERE is_version = 1').all()
    expect(shared).toEqual([{ object_key: expect.stringContaining('-8abc-000000000062') }])
  })

  it('leave counters that the code of the previous release brings back to nothing', () => {
    const database = databaseWith([...old(), ...rows, ...newer().map(({ sql }) => sql)])
    const counters = [
      ...['used_bytes', 'items', 'assets', 'public_assets', 'versions', 'open_uploads'],
      ...['writable_keys', 'ended_uploads', 'idempotency_keys'],
    ]
    const sum = database.prepare(`SELECT ${counters.map((one) => `sum(${one}) AS ${one}`).join()} FROM usage`)
    expect(Object.values(sum.get() ?? {}).every((value) => Number(value) > 0)).toBe(true)
    for (const statement of removal) database.exec(statement)
    expect(sum.get()).toEqual(Object.fromEntries(counters.map((one) => [one, 0])))
  })
})

/** The columns of a table that are stored, in their order. */
function columnsOf(database: DatabaseSync, table: string): string[] {
  const columns = database.prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0').all(table)
  return columns.map(({ name }) => String(name))
}

/** The rows of each table of its own, without the numbers of assets, which a migration gives anew. */
function contentOf(database: DatabaseSync): [string, Record<string, unknown>[]][] {
  const tables = database.prepare(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
  )
  return tables.all().map(({ name }) => {
    const table = String(name)
    const columns = columnsOf(database, table).filter(
      (column) => `${table}.${column}` !== 'game_assets.number',
    )
    return [
      table,
      database.prepare(`SELECT ${columns.join()} FROM ${table} ORDER BY ${columns.join()}`).all(),
    ]
  })
}

/** Those rows of a table that were there before, in the columns that were there before. */
function rowsOf(database: DatabaseSync, table: string, there: Record<string, unknown>[]): unknown[] {
  const columns = Object.keys(there[0] ?? {}).join()
  const all = database.prepare(`SELECT ${columns} FROM ${table} ORDER BY ${columns}`).all()
  const known = new Set(there.map((row) => JSON.stringify(row)))
  return all.filter((row) => known.has(JSON.stringify(row)))
}

describe.skipIf(isShallow)('npm run prove:upgrade', () => {
  it('runs tests of the previous release on today’s tables', { timeout: 120_000 }, () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [`${project}scripts/prove-upgrade.ts`, '--brief'],
      {
        encoding: 'utf8',
        cwd: project,
      },
    )
    expect(stderr + stdout).toMatch(/\d+ passed, \d+ known, 0 failed/)
    expect(status).toBe(0)
  })
})

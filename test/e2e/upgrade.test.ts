import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { project } from '../../scripts/development.ts'
import { migrationsIn } from '../../scripts/migrations/files.ts'
import { fileAt, hasFile, isShallow, migrationsAt } from '../../scripts/upgrade/release.ts'
import { blocksOf } from './guides.ts'
import { changes } from './upgrade/changes.ts'
import { differencesOf, unexplained } from './upgrade/compare.ts'
import { databaseWith, partsOf } from './upgrade/parts.ts'
import { removal, rows } from './upgrade/rows.ts'

const { previousRelease } = z
  .object({ previousRelease: z.object({ commit: z.string() }) })
  .parse(JSON.parse(readFileSync(`${project}package.json`, 'utf8')))
const { commit } = previousRelease

/** The steps of the tables in Durable Objects. Each object takes them by itself. */
const INBOX = 'src/features/notifications/migrations.ts'
const SAVES = 'src/features/saves/migrations.ts'

const today = migrationsIn(`${project}migrations`)
const released = () => migrationsAt(commit)
const newer = () => today.slice(released().length)
const old = () => released().map(({ sql }) => sql)

describe.skipIf(isShallow())('the migrations of the previous release', () => {
  it('stay as they were, because a deployment has applied them', () => {
    expect(released().length).toBeGreaterThan(0)
    expect(today.slice(0, released().length)).toEqual(released())
  })

  it.each([
    ['an inbox', INBOX],
    ['saves', SAVES],
  ])('stay as they were in %s', (_, file) => {
    const isReleased = hasFile(commit, file)
    const before = isReleased ? stepsIn(fileAt(commit, file)) : []
    expect(before.length > 0, 'its steps are found').toBe(isReleased)
    expect(stepsIn(readFileSync(project + file, 'utf8')).slice(0, before.length)).toEqual(before)
  })
})

describe.skipIf(isShallow())('migrations since the previous release', () => {
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

  it('let its search be made anew for a rollback, as docs/upgrading.md says', () => {
    const database = databaseWith([...old(), ...rows])
    const [parts, names] = [partsOf(database), namesIn(database)]
    expect(names.length).toBeGreaterThan(0)
    for (const { sql } of newer()) database.exec(sql)
    const search = released().find(({ name }) => name === '0003_search.sql')
    const [statements] = blocksOf('upgrading.md', 'sql', 'From 0.2.0')
    database.exec(`${search?.sql}${statements}`)
    const now = partsOf(database)
    for (const [part, as] of parts)
      if (/public_names|_initials?$|_name$/.test(part)) expect(now.get(part), part).toBe(as)
    expect(namesIn(database)).toEqual(names)
    for (const { sql } of newer().filter(({ name }) => name === '0010_drop_public_names.sql'))
      database.exec(sql)
    expect([...partsOf(database)]).toEqual([...partsOf(databaseWith(today.map(({ sql }) => sql)))])
  })

  it('leave counters that the code of the previous release brings back to nothing', () => {
    const database = databaseWith([...old(), ...rows, ...newer().map(({ sql }) => sql)])
    const counters = [
      ...['used_bytes', 'items', 'assets', 'public_assets', 'versions', 'open_uploads'],
      ...['writable_keys', 'ended_uploads', 'idempotency_keys'],
    ]
    const sum = database.prepare(`SELECT ${counters.map((one) => `sum(${one}) AS ${one}`).join()} FROM usage`)
    const events = database.prepare(`SELECT sum(events) AS events FROM outbox_counts`)
    expect(Object.values(sum.get() ?? {}).every((value) => Number(value) > 0)).toBe(true)
    expect(events.get()).toEqual({ events: 2 })
    for (const statement of removal) database.exec(statement)
    expect(sum.get()).toEqual(Object.fromEntries(counters.map((one) => [one, 0])))
    expect(events.get()).toEqual({ events: 0 })
  })
})

/** The steps of an object's tables that the text of a module exports. The module is executed, because it may be an old one. */
function stepsIn(module: string): string[] {
  const options = [
    '--input-type=module-typescript',
    '--eval',
    `${module}\nconsole.log(JSON.stringify(steps))`,
  ]
  const output = execFileSync(process.execPath, options, { encoding: 'utf8' })
  return z.array(z.string()).parse(JSON.parse(output))
}

/** The rowids of the search of version 0.2.0. */
function namesIn(database: DatabaseSync): unknown[] {
  return database.prepare('SELECT rowid FROM public_names ORDER BY rowid').all()
}

/** The columns of a table that are stored, in their order. */
function columnsOf(database: DatabaseSync, table: string): string[] {
  const columns = database.prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0').all(table)
  return columns.map(({ name }) => String(name))
}

/** The rows of each table of its own. */
function contentOf(database: DatabaseSync): [string, Record<string, unknown>[]][] {
  const tables = database.prepare(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
  )
  return tables.all().map(({ name }) => {
    const table = String(name)
    const columns = columnsOf(database, table).join()
    return [table, database.prepare(`SELECT ${columns} FROM ${table} ORDER BY ${columns}`).all()]
  })
}

/** Those rows of a table that were there before, in the columns that were there before. */
function rowsOf(database: DatabaseSync, table: string, there: Record<string, unknown>[]): unknown[] {
  const columns = Object.keys(there[0] ?? {}).join()
  const all = database.prepare(`SELECT ${columns} FROM ${table} ORDER BY ${columns}`).all()
  const known = new Set(there.map((row) => JSON.stringify(row)))
  return all.filter((row) => known.has(JSON.stringify(row)))
}

describe.skipIf(isShallow())('npm run prove:upgrade', () => {
  it('runs tests of the previous release on today’s tables when these are others', {
    timeout: 120_000,
  }, () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [`${project}scripts/prove-upgrade.ts`, '--brief'],
      {
        encoding: 'utf8',
        cwd: project,
      },
    )
    expect(stderr + stdout).toMatch(
      newer().length > 0 ? /\d+ passed, \d+ known, 0 failed/ : /^Nothing to prove: /m,
    )
    expect(status).toBe(0)
  })
})

import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { project } from '../../scripts/development.ts'

const { previousRelease } = z
  .object({ previousRelease: z.object({ version: z.string(), commit: z.string() }) })
  .parse(JSON.parse(readFileSync(`${project}package.json`, 'utf8')))
const { commit } = previousRelease
const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { encoding: 'utf8' })
const isShallow = git('rev-parse', '--is-shallow-repository').trim() === 'true'

/** What an old version would notice, and the release notes have to say: `table orders`, `column orders.total`, … */
const SAID: readonly string[] = []

interface Column {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

/** A database with these migrations. */
function databaseWith(migrations: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const migration of migrations) database.exec(migration)
  return database
}

/** What the tables consist of: every column with what an INSERT or a SELECT sees of it, every index that refuses rows. */
function partsOf(database: DatabaseSync): Map<string, string> {
  const parts = new Map<string, string>()
  const objects = database
    .prepare(`SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND type <> 'index'`)
    .all()
  for (const { type, name } of objects) {
    parts.set(`${type} ${name}`, '')
    if (type === 'trigger') continue
    const columns = database.prepare(`SELECT * FROM pragma_table_xinfo('${name}')`).all()
    for (const column of columns) {
      const { name: of, type: kind, notnull, dflt_value, pk } = column as unknown as Column
      parts.set(`column ${name}.${of}`, JSON.stringify({ kind, notnull, dflt_value, pk }))
    }
    const indexes = database.prepare(`SELECT name FROM pragma_index_list('${name}') WHERE "unique" = 1`).all()
    for (const index of indexes) parts.set(`unique index ${index.name}`, '')
  }
  return parts
}

const here = readdirSync(`${project}migrations`).sort()
const before = () => git('ls-tree', '--name-only', commit, 'migrations/').split('\n').filter(Boolean)

describe.skipIf(isShallow)('migrations since the previous release', () => {
  it('leave its own as they were: a deployment has applied them', () => {
    expect(before().length).toBeGreaterThan(0)
    for (const path of before())
      expect(readFileSync(`${project}${path}`, 'utf8'), path).toBe(git('show', `${commit}:${path}`))
  })

  it('remove and rename nothing that its code reads or writes, and refuse no row that it writes', () => {
    const old = partsOf(databaseWith(before().map((path) => git('show', `${commit}:${path}`))))
    const today = partsOf(
      databaseWith(here.map((name) => readFileSync(`${project}migrations/${name}`, 'utf8'))),
    )
    const gone = [...old].filter(([part, as]) => today.get(part) !== as).map(([part]) => part)
    expect(gone.filter((part) => !SAID.includes(part))).toEqual([])
    const stricter = [...today].filter(([part]) => part.startsWith('unique') && !old.has(part))
    const isOfOldTable = ([part]: [string, string]) => !part.includes('sqlite_autoindex')
    expect(stricter.filter(isOfOldTable).filter(([part]) => !SAID.includes(part))).toEqual([])
    expect([...today.keys()].length).toBeGreaterThan([...old.keys()].length)
  })

  it('notices what is gone, and what is new and refuses rows', () => {
    const old = partsOf(databaseWith(['CREATE TABLE a (x INTEGER, y TEXT)']))
    const today = partsOf(databaseWith(['CREATE TABLE a (x TEXT); CREATE UNIQUE INDEX a_by_x ON a (x)']))
    expect([...old].filter(([part, as]) => today.get(part) !== as).map(([part]) => part)).toEqual([
      'column a.x',
      'column a.y',
    ])
    expect([...today.keys()]).toContain('unique index a_by_x')
  })
})

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

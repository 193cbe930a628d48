import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { whyForeign } from '../../scripts/dev/migrate.ts'
import { project } from '../../scripts/development.ts'
import { problemsOf } from '../../scripts/migrations/check.ts'
import { migrationsIn } from '../../scripts/migrations/files.ts'
import { ledgerEntry } from '../../scripts/migrations/ledger.ts'
import { splitAsD1 } from '../../scripts/migrations/splitter.ts'

const migrations = migrationsIn(`${project}migrations`)
const table = 'CREATE TABLE a (x INTEGER, y INTEGER);\n'
const trigger = (body: string) => `${table}CREATE TRIGGER t AFTER INSERT ON a ${body}\n`
const problemsOfOne = (sql: string) => problemsOf([{ name: '0001_a.sql', sql }])

/** Why statements, as D1 splits them, are refused; undefined when all are executed. */
function refusalOf(sql: string): string | undefined {
  const database = new DatabaseSync(':memory:')
  try {
    for (const statement of splitAsD1(sql)) database.prepare(statement).run()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('the remote D1', () => {
  it('takes every migration, with the statement that wrangler appends', () => {
    expect(problemsOf(migrations)).toEqual([])
    expect(
      splitAsD1(migrations.map(({ name, sql }) => `${sql}\n${ledgerEntry(name)}`).join('\n')).length,
    ).toBe(migrations.reduce((sum, { sql }) => sum + splitAsD1(sql).length + 1, 0))
  })

  // What others have reported of it, by the numbers of workers-sdk's issues.
  it.each([
    [
      'a CASE in a trigger (4326)',
      "BEGIN\n SELECT CASE WHEN NEW.x > 9 THEN RAISE(ABORT, 'no') END ;\n END\n;",
    ],
    [
      'a CASE in the middle of one (4727)',
      'BEGIN\n UPDATE a SET y = CASE WHEN x = 1 THEN 2 END WHERE x = 1;\nEND;',
    ],
    [
      'a CASE with a name',
      'BEGIN UPDATE a SET y = (SELECT z FROM (SELECT CASE x WHEN 1 THEN 2 END AS z)); END;',
    ],
    ['a lower-case begin (10998, 15314)', 'begin\n UPDATE a SET y = 1;\nend;'],
    ['a lower-case begin in one line', 'begin UPDATE a SET y = 1; END;'],
  ])('refuses %s, which SQLite takes', (_, body) => {
    const sql = trigger(body)
    new DatabaseSync(':memory:').exec(sql)
    expect(refusalOf(`${sql}${table.replace(' a ', ' b ')}`)).toBe('incomplete input')
    expect(problemsOfOne(sql)).toHaveLength(1)
  })

  it('takes a CASE in parentheses, as reported, which the check refuses all the same', () => {
    const sql = trigger("BEGIN\n SELECT (CASE WHEN NEW.x > 9 THEN RAISE(ABORT, 'no') END);\nEND;")
    expect(refusalOf(sql)).toBeUndefined()
    expect(problemsOfOne(sql)).toEqual([
      '0001_a.sql: t has a CASE, whose END closes a trigger on D1: write iif()',
    ])
  })

  it('takes what follows a lower-case end for a part of the trigger, and the check says so', () => {
    const sql = trigger('BEGIN UPDATE a SET y = 1; end;')
    expect(splitAsD1(sql + table)).toHaveLength(2)
    expect(problemsOfOne(sql)).toEqual([expect.stringContaining('t has "end"')])
  })

  it('takes strings, comments and quoted names whole', () => {
    expect(
      splitAsD1(`SELECT 'a; BEGIN b''; ' -- ; 'it BEGIN\n; /* ; BEGIN */ SELECT "x;y", \`;\`;`),
    ).toHaveLength(1)
    expect(splitAsD1(`SELECT 'a; BEGIN b''; ' -- ; it's\n; /* ; BEGIN */ SELECT "x;y", \`;\`;`)).toHaveLength(
      2,
    )
    expect(refusalOf(`${table}-- x ; y\nINSERT INTO a /* ; */ VALUES (1, 2);`)).toBeUndefined()
  })
})

describe('npm run check -- migrations', () => {
  const sql = 'SELECT 1;'

  it('refuses two migrations of one number, and a name without one', () => {
    const names = ['0001_a.sql', '0002_b.sql', '0002_c.sql', 'third.sql']
    expect(problemsOf(names.map((name) => ({ name, sql })))).toEqual([
      '0002_c.sql: 0002_b.sql has the same number',
      'third.sql: a name is four digits, _, what it is about, .sql',
    ])
  })

  it.each([
    ['lines that end with CR and LF', 'SELECT 1;\r\n', 'a line ends with CR'],
    ['what SQLite refuses', 'SELECT x FROM nowhere;', 'SQLite refuses it: no such table'],
    [
      'a comment that opens a trigger for D1',
      `-- as BEGIN\nSELECT 1;\n${table}`,
      'takes several of its statements for one',
    ],
    [
      'a comment that has D1 take two statements for one, of which it executes the first',
      `${table}-- as BEGIN\nUPDATE a SET x = 1;\nUPDATE a SET y = CASE WHEN x THEN 2 END ;\n`,
      'takes several of its statements for one',
    ],
    ['a statement of more than 100,000 bytes', `SELECT '${'x'.repeat(100_000)}';`, 'more than 100000 bytes'],
    [
      'a CASE in lower case in a trigger',
      trigger('BEGIN SELECT (case 1 when 1 then 2 end); END;'),
      't has a CASE',
    ],
  ])('refuses %s', (_, text, reason) => {
    expect(problemsOfOne(text)).toEqual([expect.stringContaining(reason)])
  })

  it('takes words in comments, in strings and outside of triggers', () => {
    const words = trigger(`BEGIN -- the case where it begins, and its end\n SELECT 'case end'; END;`)
    expect(problemsOfOne(words)).toEqual([])
    expect(problemsOfOne(`${table}INSERT INTO a SELECT CASE WHEN 1 THEN 2 END, 3;`)).toEqual([])
  })
})

describe('a local database whose migrations are noted as applied', () => {
  const states: string[] = []
  afterEach(() => {
    for (const state of states.splice(0)) rmSync(state, { recursive: true })
  })

  /** A state of the development server with a database for each text, which is executed in it. */
  function stateWith(...databases: string[]): string {
    const state = mkdtempSync(join(tmpdir(), 'local-databases-'))
    states.push(state)
    const folder = join(state, 'v3/d1/objects')
    mkdirSync(folder, { recursive: true })
    for (const [index, sql] of databases.entries()) {
      const database = new DatabaseSync(join(folder, `${index}.sqlite`))
      database.exec(`BEGIN; ${sql}; COMMIT`)
      database.close()
    }
    return state
  }

  const LEDGER = 'CREATE TABLE d1_migrations (name TEXT UNIQUE);'
  const applied = (edit = (sql: string) => sql) =>
    LEDGER + migrations.map(({ name, sql }) => edit(sql) + ledgerEntry(name)).join('\n')

  it('can be migrated, also with those of a later version, in part, or before the first', async () => {
    expect(await whyForeign(stateWith(applied()))).toBeUndefined()
    const later = `ALTER TABLE usage ADD COLUMN later TEXT; ${ledgerEntry('9999_later.sql')}`
    expect(await whyForeign(stateWith(`${applied()}; ${later}`))).toBeUndefined()
    const [first] = migrations
    const part = `${LEDGER} ${first?.sql} ${ledgerEntry(first?.name ?? '')}`
    expect(await whyForeign(stateWith(part, LEDGER, 'SELECT 1'))).toBeUndefined()
    expect(await whyForeign(join(stateWith(), 'nowhere'))).toBeUndefined()
  })

  it('can’t when other migrations of these names have made it, and lacks their columns', async () => {
    const others = applied((sql) => sql.replaceAll(/\bpartition\b/g, 'bucket'))
    expect(await whyForeign(stateWith(applied(), others))).toMatch(/^it lacks usage\.partition, .* more$/)
  })

  it('can’t when migrations of other names have made it', async () => {
    const [first] = migrations
    const others = `${LEDGER} ${first?.sql} ${ledgerEntry('0001_tables.sql')}`
    expect(await whyForeign(stateWith(others))).toBe(
      'it has 0001_tables.sql, which is in migrations/ no more',
    )
  })
})

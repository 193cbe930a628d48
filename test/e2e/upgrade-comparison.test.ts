import { describe, expect, it } from 'vitest'
import { judgementOf } from '../../scripts/upgrade/judge.ts'
import type { Change } from './upgrade/changes.ts'
import { differencesOf, unexplained } from './upgrade/compare.ts'
import { databaseWith } from './upgrade/parts.ts'

describe('the comparison of two releases', () => {
  const table = `CREATE TABLE a (x INTEGER CHECK (x > 0), y TEXT);
    CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END; CREATE INDEX i ON a (x);`
  const replaced = (trigger: string) => `DROP TRIGGER t; CREATE TRIGGER t AFTER INSERT ON a ${trigger}`
  const copied = (columns: string) =>
    `DROP TABLE a; CREATE TABLE a (${columns}); CREATE INDEX i ON a (x); CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;`
  const found = (sql: string, noted: readonly Change[] = []) =>
    unexplained(differencesOf(databaseWith([table]), [{ name: '0002_b.sql', sql }]), noted)

  it.each([
    ['a column that is gone', 'ALTER TABLE a DROP COLUMN y', 'column a.y is gone'],
    ['a column of another type', copied('x INTEGER CHECK (x > 0), y INTEGER'), 'column a.y is changed'],
    [
      'a column that must be given',
      `${copied('x INTEGER CHECK (x > 0), y TEXT, z TEXT NOT NULL')}`,
      'column a.z is new',
    ],
    ['a CHECK that is gone', copied('x INTEGER, y TEXT'), 'check a: x > 0 is gone'],
    ['a stricter CHECK', copied('x INTEGER CHECK (x > 0) CHECK (x < 9), y TEXT'), 'check a: x < 9 is new'],
    ['a unique index', 'CREATE UNIQUE INDEX u ON a (x)', 'unique index a.u is new'],
    ['a unique column', copied('x INTEGER CHECK (x > 0) UNIQUE, y TEXT'), 'unique a (x) is new'],
    ['a foreign key', copied('x INTEGER CHECK (x > 0), y TEXT REFERENCES a (x)'), 'foreign key a.y is new'],
    ['an index that is gone', 'DROP INDEX i', 'index a.i is gone'],
    ['a trigger that is gone', 'DROP TRIGGER t', 'trigger a.t is gone'],
    ['another trigger', `CREATE TRIGGER s AFTER INSERT ON a BEGIN SELECT 1; END`, 'trigger a.s is new'],
    ['a trigger that does something else', replaced('BEGIN SELECT 2; END'), 'trigger a.t is changed'],
  ])('notices %s', (_, sql, what) => {
    expect(found(sql)).toEqual([`0002_b.sql: ${what}, and changes.ts has no reason`])
  })

  it('lets pass what old code does not notice', () => {
    expect(
      found(
        `ALTER TABLE a ADD COLUMN z INTEGER CHECK (z > 0); ALTER TABLE a ADD COLUMN w TEXT NOT NULL DEFAULT ''`,
      ),
    ).toEqual([])
    expect(found('CREATE INDEX j ON a (y); CREATE TABLE b (x INTEGER UNIQUE CHECK (x > 1))')).toEqual([])
    expect(found(replaced('BEGIN\n  SELECT 1; -- as before\nEND'))).toEqual([])
  })

  it('takes a reason for a change of its own migration, and refuses one for nothing', () => {
    const noted = { migration: '0002_b.sql', parts: ['trigger a.t'], reason: 'a test' }
    expect(found('DROP TRIGGER t', [noted])).toEqual([])
    expect(found('DROP TRIGGER t', [{ ...noted, migration: '0001_a.sql' }])).toHaveLength(2)
    expect(found('SELECT 1', [noted])).toEqual([
      '0002_b.sql: changes.ts has a reason for trigger a.t, which it does not change last',
    ])
  })
})

describe('a run of the previous release’s tests', () => {
  const report = (results: Record<string, string>) => ({
    testResults: [
      {
        name: 'a.test.ts',
        status: 'failed',
        assertionResults: Object.entries(results).map(([fullName, status]) => ({ fullName, status })),
      },
    ],
  })
  const exceptions = [{ test: 'looks into a table', reason: 'It has another column.' }]
  const isWhole = true

  it('fails for a test without an exception, and for a file that does not load', () => {
    const results = report({ 'a looks into a table': 'failed', 'a works': 'failed', 'a stays': 'passed' })
    const broken = { name: 'b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] }
    const testResults = [...results.testResults, broken]
    expect(judgementOf({ testResults }, exceptions, { isWhole })).toEqual({
      lines: [
        'known: a looks into a table\n  It has another column.',
        'FAILED: a works',
        'FAILED: b.test.ts\n  no such module',
      ],
      passed: 1,
      known: 1,
      failed: 2,
    })
  })

  it('fails for an exception whose test passes, or is skipped', () => {
    for (const status of ['passed', 'skipped'])
      for (const isWhole of [true, false])
        expect(
          judgementOf(report({ 'a looks into a table': status }), exceptions, { isWhole }),
        ).toMatchObject({
          lines: ['UNUSED: previousRelease.exceptions excuses "looks into a table", which does not fail'],
          failed: 1,
        })
  })

  it('fails for an exception whose test is not there, unless the run leaves tests out', () => {
    const results = report({ 'a works': 'passed' })
    expect(judgementOf(results, exceptions, { isWhole })).toMatchObject({ failed: 1 })
    expect(judgementOf(results, exceptions, { isWhole: false })).toMatchObject({ lines: [], failed: 0 })
  })
})

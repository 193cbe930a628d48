/** @module-tag release */
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { importMigration } from '../../scripts/deploy/import-migration.ts'
import { migrationsIn } from '../../scripts/migrations/files.ts'
import { project } from './citations.ts'
import { changesIn, type Run, Studio, settings } from './deploy/run.ts'
import { databaseOf } from './deploy/stand-in.ts'
import { type D1Faults, pathOf, StandInD1 } from './deploy/stand-in-d1.ts'

const secrets = { S3_ACCESS_KEY_ID: 'an-id', S3_SECRET_ACCESS_KEY: 'a-key' }
const folder = `${project}migrations`
const names = migrationsIn(folder).map(({ name }) => name)
const id = crypto.randomUUID()

let studio: Studio

beforeEach(async () => {
  studio = await Studio.with({ ...settings, databases: [{ binding: 'DB', name: 'game', id }] })
  studio.change((account) => ({ ...account, databases: [{ ...databaseOf('game'), uuid: id }] }))
})
afterEach(() => studio.end())

const misbehave = (d1: D1Faults) => studio.change((account) => ({ ...account, d1 }))

/** The database of the account, read by itself. */
function opened(): DatabaseSync {
  return new DatabaseSync(pathOf(studio.accountFile, id))
}

const appliedNames = () => new StandInD1(studio.accountFile, id).applied()
const schemaObjects = z.array(z.object({ type: z.string(), name: z.string(), sql: z.string().nullable() }))
const schemaOf = (database: DatabaseSync) =>
  database.prepare(`SELECT type, name, sql FROM sqlite_schema ORDER BY type, name`).all()

/** What was sent to D1, in short: which way each call went. */
const waysIn = (run: Run) =>
  changesIn(run).flatMap((call) =>
    call.startsWith('d1 ') ? [/ --file | apply | --command /.exec(call)?.[0].trim()] : [],
  )

describe('a migration that D1 refuses to split', () => {
  it('is imported and noted, and the rest is applied; both ways make the same database', async () => {
    misbehave({ refused: ['0002_files.sql', '0012_partitions.sql'] })
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain('D1 refuses 0002_files.sql as wrangler sends it')
    expect(run.output).toContain('D1 refuses 0012_partitions.sql as wrangler sends it')
    expect(run.output).toMatch(/^Done\.$/m)
    expect(waysIn(run)).toEqual(['apply', '--file', 'apply', '--file', 'apply'])
    expect(appliedNames()).toEqual(names)

    const other = new StandInD1(studio.accountFile, 'other')
    other.migrate(folder)
    expect(schemaOf(opened())).toEqual(schemaOf(new DatabaseSync(pathOf(studio.accountFile, 'other'))))
    expect(waysIn(await studio.deploy(['--skip-probe']))).toEqual([])
  })

  it('counts as applied when the import succeeds and the connection to it is lost', async () => {
    misbehave({ refused: ['0012_partitions.sql'], import: 'lost' })
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run).toMatchObject({ code: 0, output: expect.stringMatching(/^Done\.$/m) })
    expect(waysIn(run)).toEqual(['apply', '--file', 'apply'])
    expect(appliedNames()).toEqual(names)
  })

  it('is not imported again by the next run when the command was killed during the import', async () => {
    misbehave({ refused: ['0003_uploads.sql'], import: 'killed' })
    expect((await studio.deploy(['--skip-probe'], secrets)).output).not.toContain('Done.')
    expect(appliedNames()).toContain('0003_uploads.sql')
    misbehave({ refused: ['0003_uploads.sql'] })
    const next = await studio.deploy(['--skip-probe'], secrets)
    expect(next.code).toBe(0)
    expect(waysIn(next)).toEqual(['apply'])
    expect(appliedNames()).toEqual(names)
  })

  it('is imported by the next run when the import was undone', async () => {
    misbehave({ refused: ['0012_partitions.sql'], import: 'reset' })
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toMatch(
      /✗ [\s\S]*D1 reset before execute completed![\s\S]*The Worker that was deployed before/,
    )
    expect(run.code).toBe(1)
    expect(appliedNames()).toEqual(names.slice(0, names.indexOf('0012_partitions.sql')))
    misbehave({ refused: ['0012_partitions.sql'] })
    expect((await studio.deploy(['--skip-probe'], secrets)).code).toBe(0)
    expect(appliedNames()).toEqual(names)
  })

  it('is not imported over a part of it, which is named', async () => {
    misbehave({ refused: ['0012_partitions.sql'], keepsPart: true })
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain(
      '0012_partitions.sql is not noted as applied, and the database has a part of it',
    )
    expect(run.output).toContain('table partitions, index partitions_moving, index partitions_elsewhere')
    expect(run.output).toContain('Nothing has been imported.')
    expect(run.code).toBe(1)
    expect(waysIn(run)).toEqual(['apply'])
  })

  it('is not imported over what it has changed or removed', async () => {
    const before = migrationsIn(folder)
    const sql = `ALTER TABLE garbage ADD COLUMN note TEXT; DROP INDEX garbage_by_turn;
      CREATE INDEX garbage_by_note ON garbage (note);`
    const database = opened()
    database.exec(`BEGIN; ${[...before.map((one) => one.sql), sql].join('\n')} COMMIT`)
    const remote = {
      schema: async () => schemaObjects.parse(schemaOf(database)),
      applied: async () => names,
      importFile: () => Promise.reject(new Error('it is imported')),
    }
    const migration = { name: '9999_notes.sql', sql }
    await expect(importMigration(remote, { migration, before, folder: 'nowhere' })).rejects.toThrow(
      'the database has a part of it: index garbage_by_note, table garbage, index garbage_by_turn.',
    )
  })
})

describe('a migration that is refused for another reason', () => {
  it('is not imported', async () => {
    const database = opened()
    database.exec('CREATE TABLE usage (user_id TEXT)')
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain('table usage already exists: SQLITE_ERROR')
    expect(run.code).toBe(1)
    expect(waysIn(run)).toEqual(['apply'])
  })
})

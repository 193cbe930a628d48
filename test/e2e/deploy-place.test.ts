/** @module-tag release */
import { afterEach, describe, expect, it } from 'vitest'
import { configurationOf } from '../../scripts/deploy/configuration.ts'
import { readSettings } from '../../scripts/deploy/settings.ts'
import { changesIn, Studio, settings } from './deploy/run.ts'
import { databaseOf } from './deploy/stand-in.ts'

const secrets = { S3_ACCESS_KEY_ID: 'an-id', S3_SECRET_ACCESS_KEY: 'a-key' }

let studio: Studio

async function withSettings(more: object = {}): Promise<void> {
  studio = await Studio.with({ ...settings, ...more })
}

/** Has deployments end once everything has been created. */
const endEarly = () =>
  studio.change((account) => ({ ...account, fails: { 'd1 migrations apply': 'Enough.' } }))
afterEach(() => studio?.end())

const creationsIn = (run: Awaited<ReturnType<Studio['deploy']>>) =>
  changesIn(run).filter((call) => / create /.test(call))

describe('where things are', () => {
  it('is the location of the settings, for databases, the bucket and the objects of the job', async () => {
    await withSettings({ location: 'enam' })
    expect(configurationOf(readSettings(studio.settings))).toMatchObject({ vars: { LOCATION: 'enam' } })
    endEarly()
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(creationsIn(run)).toEqual([
      'd1 create edge-game-storage --location enam',
      'r2 bucket create edge-game-storage --location enam',
      'queues create edge-game-storage-events',
      'queues create edge-game-storage-checks',
    ])
  })

  it('is left to the platform with automatic', async () => {
    await withSettings({ location: 'automatic' })
    expect(configurationOf(readSettings(studio.settings)).vars).not.toHaveProperty('LOCATION')
    endEarly()
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(creationsIn(run)).toHaveLength(4)
    expect(creationsIn(run).join()).not.toContain('--location')
  })

  it('is asked for before the first database is made, and never after', {
    timeout: 90_000 /* three runs */,
  }, async () => {
    await withSettings({ location: undefined })
    const dry = await studio.deploy(['--dry-run'])
    expect(dry.output).toContain('asks where the databases and the bucket are to be')
    expect(dry.code).toBe(0)
    const real = await studio.deploy(['--skip-probe'], secrets)
    expect(real.output).toContain('Nothing says where the databases and the bucket are to be.')
    expect(real.output).toMatch(/"location" into \S+[\s\S]*weur +Western Europe[\s\S]*automatic/)
    expect(real.code).toBe(1)
    expect(creationsIn(real)).toEqual([])

    studio.change((account) => ({ ...account, databases: [databaseOf('edge-game-storage')] }))
    const later = await studio.deploy(['--dry-run'])
    expect(later.output).not.toContain('asks where')
    expect(later.code, later.output).toBe(0)
  })

  it('is the jurisdiction, for databases, the bucket, the queue, the inboxes, the saves and the janitors', async () => {
    await withSettings({ location: undefined, jurisdiction: 'us' })
    const { vars } = configurationOf(readSettings(studio.settings))
    expect(vars).toMatchObject({ JURISDICTION: 'us' })
    expect(vars).not.toHaveProperty('LOCATION')
    endEarly()
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(creationsIn(run)).toEqual([
      'd1 create edge-game-storage --jurisdiction us',
      'r2 bucket create edge-game-storage --jurisdiction us',
      'queues create edge-game-storage-events --jurisdiction us',
      'queues create edge-game-storage-checks --jurisdiction us',
    ])
    const again = await studio.deploy(['--dry-run'])
    expect(again.output).toContain('in the jurisdiction us')
    expect(again.output).not.toContain('creates the')
    expect(again.code, again.output).toBe(0)
  })

  it.each([
    [
      'a database',
      { databases: [databaseOf('edge-game-storage')] },
      'The database edge-game-storage is in no jurisdiction',
    ],
    [
      'a database of another one',
      { databases: [databaseOf('edge-game-storage', { jurisdiction: 'fedramp' })] },
      'The database edge-game-storage is in the jurisdiction fedramp',
    ],
    ['a bucket', { bucket: 'edge-game-storage' }, 'There is a bucket edge-game-storage in no jurisdiction'],
    [
      'a bucket of another one',
      { bucket: 'edge-game-storage', bucketIn: 'us' },
      'There is a bucket edge-game-storage in the jurisdiction us',
    ],
    [
      'inboxes and saves',
      { secrets: [], serving: { id: 'version-7', variables: {} } },
      'The inboxes and saves of',
    ],
  ])('is not changed to a jurisdiction when there is %s', async (_, account, reason) => {
    await withSettings({ location: undefined, jurisdiction: 'eu' })
    studio.change((before) => ({ ...before, ...account }))
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain(reason)
    expect(run.code).toBe(1)
    expect(changesIn(run).filter((call) => /^(deploy|secret|r2 bucket create)/.test(call))).toEqual([])
  })

  it('is not changed from a jurisdiction to none: inboxes would be empty, also of a version without saves', async () => {
    await withSettings()
    const serving = { id: 'version-7', variables: { JURISDICTION: 'eu' }, objects: ['INBOX'] }
    studio.change((account) => ({ ...account, secrets: [], serving }))
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain('The inboxes of')
    expect(run.output).toContain('where they would be empty')
    expect(run.output).toContain('set "jurisdiction" to eu')
    expect(run.code).toBe(1)
    expect(changesIn(run)).toEqual([])
  })

  it('may be a jurisdiction for rows and content only, where inboxes and saves were made without one', async () => {
    const variables = { ...settings.variables, JURISDICTION: '' }
    await withSettings({ location: undefined, jurisdiction: 'eu', variables })
    const databases = [databaseOf('edge-game-storage', { jurisdiction: 'eu' })]
    const serving = { id: 'version-7', variables: {} }
    studio.change((account) => ({ ...account, secrets: [], serving, databases }))
    const run = await studio.deploy(['--dry-run'])
    expect(run.code, run.output).toBe(0)
  })

  it.each([
    ['ENAM', true],
    ['WEUR', false],
  ])(
    'is compared with the location of a bucket that exists: with weur, one in %s is told: %s',
    async (at, isTold) => {
      await withSettings({ location: 'weur' })
      studio.change((account) => ({ ...account, bucket: 'edge-game-storage', bucketAt: at }))
      const run = await studio.deploy(['--dry-run'])
      const told = expect.stringContaining('the bucket edge-game-storage is in ENAM, and')
      expect(run.output).toEqual(isTold ? told : expect.not.stringContaining('Attention'))
      expect(run.code).toBe(0)
    },
  )

  it.each([
    [{ jurisdiction: 'eu' }, 'location: name this or jurisdiction, not both'],
    [{ location: 'mars' }, 'location: must be one of weur'],
    [{ variables: { LOCATION: 'weur' } }, 'variables.LOCATION: is set by location'],
    [{ variables: { JURISDICTION: 'eu' } }, 'variables.JURISDICTION: is set by jurisdiction'],
  ])('is refused with %j', async (wrong, reason) => {
    await withSettings(wrong)
    expect(() => readSettings(studio.settings)).toThrow(reason)
  })
})

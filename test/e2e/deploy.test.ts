import { readFileSync, rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { corsRules } from '../../scripts/deploy/bucket.ts'
import { developmentVariables } from '../../scripts/development.ts'
import { R2, KEYS as secrets } from './deploy/r2.ts'
import { changesIn, Studio, settings } from './deploy/run.ts'
import { ACCOUNT, databaseOf } from './deploy/stand-in.ts'

const withoutOptions = (calls: string[]) =>
  calls.map((call) => call.replace(/ --(file|config|name) \S+/g, ''))

let r2: R2
beforeAll(async () => {
  r2 = await R2.start()
})
afterAll(() => r2.stop())

let studio: Studio

async function withSettings(more: object = {}): Promise<void> {
  studio = await Studio.with({ ...settings, ...more }, r2)
}
afterEach(() => studio?.end())

describe('npm run deploy', () => {
  it('creates what is missing, goes on after a step that failed, and then has nothing left to do', {
    timeout: 90_000, // three deployments, each a process with up to fourteen more
  }, async () => {
    await withSettings()
    studio.change((account) => ({ ...account, fails: { 'd1 migrations apply': 'D1 is not well.' } }))
    const failed = await studio.deploy([], secrets)
    expect(failed.output).toMatch(
      /✗ D1 is not well\.\n\nThe Worker that was deployed before goes on serving\./,
    )
    expect(failed.code).toBe(1)
    expect(withoutOptions(changesIn(failed))).toEqual([
      'd1 create edge-game-storage',
      'r2 bucket create edge-game-storage',
      'r2 bucket cors set edge-game-storage --force',
      'r2 bucket lifecycle add edge-game-storage forget-erasures erased/ --expire-days 31 --force',
      'queues create edge-game-storage-events',
      'queues create edge-game-storage-checks',
      'd1 migrations apply DB --remote',
    ])
    const { databases, bucket, cors } = studio.account
    const id = databases[0]?.uuid ?? ''
    expect({ databases: databases.length, bucket }).toEqual({ databases: 1, bucket: 'edge-game-storage' })
    expect(cors).toEqual(corsRules(['https://game.example']))
    expect(studio.read()).toMatchObject({ account_id: ACCOUNT, databases: [{ binding: 'DB', id }] })

    studio.change((account) => ({ ...account, fails: {} }))
    studio.readiness.push(404, 503)
    const next = await studio.deploy([], secrets)
    expect(next.output).toMatch(/✓ ready\n\nDone\.\n$/)
    expect(next.output).toContain('start-up time 21 ms')
    expect(next.code).toBe(0)
    // Secrets are set with the Worker, through its standard input: arguments and output have none.
    const deployed = 'deploy --secrets-file /dev/stdin'
    expect(withoutOptions(changesIn(next))).toEqual([
      'd1 migrations apply DB --remote',
      'api PUT edge-game-storage {"read_replication":{"mode":"auto"}}',
      deployed,
    ])
    expect(studio.account.calls.find(({ call }) => call.endsWith(deployed.slice(6)))?.input).toBe(
      JSON.stringify(secrets),
    )
    expect(next.calls.join() + next.output).not.toMatch(/an-id|a-key/)
    expect(studio.account.secrets).toEqual(Object.keys(secrets))
    expect(studio.account.applied[id]).toContain('0001_usage.sql')

    const last = await studio.deploy()
    expect(last.code).toBe(0)
    expect(withoutOptions(changesIn(last))).toEqual(['deploy'])
    const replicated = { read_replication: { mode: 'auto' } }
    expect(studio.account.databases).toEqual(databases.map((database) => ({ ...database, ...replicated })))
  })

  it('stops the job at once: objects that are busy with it take the new code and JOB without delay', {
    tags: 'release',
  }, async () => {
    await withSettings({ cron: null })
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(withoutOptions(changesIn(run)).at(-1)).toBe(
      'deploy --secrets-file /dev/stdin --durable-objects-code-update-mode immediate',
    )
    expect(studio.account.serving?.variables).toMatchObject({ JOB: 'off' })
    expect(run.code, run.output).toBe(0)
  })

  it('shows every step in a dry run and changes nothing, logged in or not', { tags: 'release' }, async () => {
    await withSettings()
    const before = readFileSync(studio.settings, 'utf8')
    const steps = [
      'creates the database edge-game-storage for DB',
      'creates the bucket edge-game-storage',
      'sets the CORS rules of edge-game-storage, for https://game.example',
      'creates the queue edge-game-storage-events',
      'creates the queue edge-game-storage-checks',
      'sets S3_ACCESS_KEY_ID (asked for), S3_SECRET_ACCESS_KEY (asked for)',
      'migrations to edge-game-storage (DB): 0001_usage.sql',
      'turns read replication on for edge-game-storage',
      'deploys deploy-test-',
      'is ready',
      'Nothing has been changed.',
    ]
    for (const isLoggedIn of [true, false]) {
      studio.change((account) => ({ ...account, isLoggedIn }))
      const run = await studio.deploy(['--dry-run'])
      for (const step of steps) expect(run.output).toContain(step)
      expect(run.code).toBe(0)
      expect(changesIn(run)).toEqual([])
    }
    expect(readFileSync(studio.settings, 'utf8')).toBe(before)
    const real = await studio.deploy()
    expect(real).toMatchObject({ code: 1, output: expect.stringContaining('Run npx wrangler login.') })
  })

  it('creates and migrates a database for each binding, and checks with tokens that it can sign', {
    tags: 'release',
  }, async () => {
    const databases = ['DB', 'DB_1', 'DB_2'].map((binding) => ({ binding, name: `game-${binding}` }))
    const variables = { SHARDS: '000-7ff:DB_1,800-fff:DB_2' }
    await withSettings({ databases, variables })
    studio.change((account) => ({ ...account, databases: [databaseOf('game-DB')] }))
    const run = await studio.deploy([], { ...secrets, JWT_SECRET: 'x'.repeat(40) })
    expect(changesIn(run).filter((call) => call.startsWith('d1 create'))).toEqual([
      'd1 create game-DB_1',
      'd1 create game-DB_2',
    ])
    const ids = studio.account.databases.map(({ uuid: id, name }) => expect.objectContaining({ id, name }))
    expect(studio.read().databases).toEqual(ids)
    expect(Object.keys(studio.account.applied)).toHaveLength(3)
    // The service of this test is ready, and nothing else.
    expect(run.output).toMatch(
      /--profile smoke[\s\S]*npm run acceptance failed[\s\S]*npx wrangler rollback --name \S+ --durable-objects-code-update-mode immediate\n/,
    )
    expect(run.code).toBe(1)
  })

  it('sets the secret of webhooks when events are on, and only one that the Worker takes', {
    tags: 'release',
    timeout: 90_000, // two deployments
  }, async () => {
    const WEBHOOK_URL = 'https://hooks.game.example/storage'
    await withSettings({ variables: { ...settings.variables, WEBHOOK_URL } })
    const wrong = await studio.deploy([], { ...secrets, WEBHOOK_SECRET: 'whsec_short' })
    expect(wrong.output).toContain('WEBHOOK_SECRET must be whsec_')
    const run = await studio.deploy([], { ...secrets, WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(32))}` })
    expect(run.output).toContain('WEBHOOK_SECRET (from the environment)')
    expect(studio.account.queues).toEqual(['edge-game-storage-events', 'edge-game-storage-checks'])
    expect(studio.account.secrets).toContain('WEBHOOK_SECRET')
    expect(run.code).toBe(0)
  })

  it('binds the Worker that checks content, once it exists, and sets the secret that it is asked with', {
    tags: 'release',
    timeout: 90_000, // two deployments
  }, async () => {
    await withSettings({ content_checker: 'my-content-checker' })
    const CONTENT_CHECK_SECRET = `whsec_${btoa('x'.repeat(32))}`
    const early = await studio.deploy([], { ...secrets, CONTENT_CHECK_SECRET })
    expect(early.output).toContain('There is no Worker my-content-checker')
    expect(early.code).toBe(1)
    expect(changesIn(early).filter((call) => /^(deploy|secret)/.test(call))).toEqual([])

    studio.change((account) => ({ ...account, workers: ['my-content-checker'] }))
    const run = await studio.deploy([], { ...secrets, CONTENT_CHECK_SECRET })
    expect(run.output).toContain('my-content-checker exists')
    expect(run.output).toContain('CONTENT_CHECK_SECRET (from the environment)')
    expect(studio.account.secrets).toContain('CONTENT_CHECK_SECRET')
    expect(run.code).toBe(0)
  })

  const refuses = async (what: string, prepare: (() => void) | undefined, reason: string) => {
    const isSecret = what === 'a secret of development'
    const id = crypto.randomUUID()
    const databases = [{ binding: 'DB', name: 'game', ...(what.startsWith('a database') && { id }) }]
    await withSettings({ databases, ...(isSecret && { variables: {} }) })
    prepare?.()
    if (what === 'a secret as a variable') studio.change((account) => ({ ...account, secrets: ['JWKS_URL'] }))
    const { JWT_SECRET = '' } = developmentVariables()
    const run = await studio.deploy([], { ...secrets, JWT_SECRET })
    expect(run.output).toContain(reason)
    expect(run.output).not.toContain(JWT_SECRET)
    expect(run.code).not.toBe(0)
    if (isSecret) expect(changesIn(run)).toEqual([])
    expect(changesIn(run).filter((call) => /^(deploy|secret)/.test(call))).toEqual([])
  }
  it.each([
    ['no settings', () => rmSync(studio.settings), 'Copy docs/production.example.json'],
    ['a database that is another one', undefined, 'A deployment never takes an empty database'],
    ['a secret of development', undefined, 'JWT_SECRET is a secret that was generated for development'],
  ])('refuses %s', refuses)
  it('refuses a secret as a variable', { tags: 'release' }, () =>
    refuses('a secret as a variable', undefined, 'The Worker has secrets that conflict with'),
  )
})

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, describe, expect, it } from 'vitest'
import { corsRules } from '../../scripts/deploy/bucket.ts'
import { bundle } from '../../scripts/deploy/bundle.ts'
import { configurationOf, folderOf } from '../../scripts/deploy/configuration.ts'
import { Deployment } from '../../scripts/deploy/deployment.ts'
import { refusalsIn, refusalsInBundle } from '../../scripts/deploy/refusals.ts'
import { readSettings } from '../../scripts/deploy/settings.ts'
import { developmentVariables } from '../../scripts/development.ts'
import { project } from './citations.ts'
import { changesIn, Studio } from './deploy/run.ts'
import { ACCOUNT } from './deploy/stand-in.ts'

const example = JSON.parse(readFileSync(`${project}docs/production.example.json`, 'utf8'))
/** Settings of a deployment without a domain of its own, so that wrangler tells its address. */
const { domain: _, ...settings } = example
const secrets = { S3_ACCESS_KEY_ID: 'an-id', S3_SECRET_ACCESS_KEY: 'a-key' }

const withoutOptions = (calls: string[]) =>
  calls.map((call) => call.replace(/ --(file|config|name) \S+/g, ''))

let studio: Studio

async function withSettings(more: object = {}): Promise<Studio> {
  studio = await Studio.with({ ...settings, ...more })
  return studio
}
afterEach(() => studio?.end())

describe('npm run deploy', () => {
  it('creates what is missing, goes on after a step that failed, and then has nothing left to do', async () => {
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
      'secret bulk',
      'd1 migrations apply DB --remote',
    ])
    const { databases, bucket, cors, calls } = studio.account
    const id = databases[0]?.uuid ?? ''
    expect({ databases: databases.length, bucket }).toEqual({ databases: 1, bucket: 'edge-game-storage' })
    expect(cors).toEqual(corsRules(['https://game.example']))
    expect(studio.read()).toMatchObject({ account_id: ACCOUNT, databases: [{ binding: 'DB', id }] })
    // Secrets go through standard input: arguments and output have none.
    expect(calls.find(({ call }) => call.startsWith('secret bulk'))?.input).toBe(JSON.stringify(secrets))
    expect(failed.calls.join() + failed.output).not.toMatch(/an-id|a-key/)

    studio.change((account) => ({ ...account, fails: {} }))
    studio.readiness.push(404, 503)
    const next = await studio.deploy()
    expect(next.output).toMatch(/✓ ready\n\nDone\.\n$/)
    expect(next.code).toBe(0)
    expect(withoutOptions(changesIn(next))).toEqual(['d1 migrations apply DB --remote', 'deploy'])
    expect(studio.account.applied[id]).toContain('0001_tables.sql')

    const last = await studio.deploy()
    expect(last.code).toBe(0)
    expect(withoutOptions(changesIn(last))).toEqual(['deploy'])
    expect(studio.account.databases).toEqual(databases)
  })

  it('shows every step in a dry run and changes nothing, logged in or not', async () => {
    await withSettings()
    const before = readFileSync(studio.settings, 'utf8')
    const steps = [
      'creates the database edge-game-storage for DB',
      'creates the bucket edge-game-storage',
      'sets the CORS rules of edge-game-storage, for https://game.example',
      'sets S3_ACCESS_KEY_ID (asked for), S3_SECRET_ACCESS_KEY (asked for)',
      'migrations to edge-game-storage (DB): 0001_tables.sql',
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

  it('creates and migrates a database for each binding, and checks with tokens that it can sign', async () => {
    const databases = ['DB', 'DB_1', 'DB_2'].map((binding) => ({ binding, name: `game-${binding}` }))
    const variables = { SHARDS: '000-7ff:DB_1,800-fff:DB_2' }
    await withSettings({ databases, variables })
    studio.change((account) => ({ ...account, databases: [{ uuid: crypto.randomUUID(), name: 'game-DB' }] }))
    const run = await studio.deploy([], { ...secrets, JWT_SECRET: 'x'.repeat(40) })
    expect(changesIn(run).filter((call) => call.startsWith('d1 create'))).toEqual([
      'd1 create game-DB_1',
      'd1 create game-DB_2',
    ])
    const ids = studio.account.databases.map(({ uuid: id, name }) => expect.objectContaining({ id, name }))
    expect(studio.read().databases).toEqual(ids)
    expect(Object.keys(studio.account.applied)).toHaveLength(3)
    // The service of this test is ready, and nothing else.
    expect(run.output).toMatch(/✓ health[\s\S]*✗ tokens[\s\S]*npx wrangler rollback/)
    expect(run.code).toBe(1)
  })

  it.each([
    ['no settings', () => rmSync(studio.settings), 'Copy docs/production.example.json'],
    ['a database that is another one', undefined, 'A deployment never takes an empty database'],
    ['a secret of development', undefined, 'JWT_SECRET is a secret that was generated for development'],
    ['a secret as a variable', undefined, 'The Worker has secrets that conflict with'],
  ])('refuses %s', async (what, prepare, reason) => {
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
  })
})

describe('the configuration of a deployment', () => {
  it('is that of wrangler.toml with the settings, without what is for development', async () => {
    await withSettings({
      domain: 'storage.game.example',
      jurisdiction: 'eu',
      account_id: ACCOUNT,
      cron: '*/10 * * * *',
      rate_limit_namespaces: { WRITE_LIMIT: '2002' },
      metrics_dataset: 'game',
    })
    const configuration = configurationOf(readSettings(studio.settings))
    expect(refusalsIn(configuration)).toEqual([])
    expect(configuration).toMatchObject({
      main: `${project}src/index.ts`,
      account_id: ACCOUNT,
      routes: [{ pattern: 'storage.game.example', custom_domain: true }],
      workers_dev: false,
      triggers: { crons: ['*/10 * * * *'] },
      r2_buckets: [{ binding: 'BUCKET', bucket_name: 'edge-game-storage', jurisdiction: 'eu' }],
      analytics_engine_datasets: [{ binding: 'METRICS', dataset: 'game' }],
      vars: {
        ...settings.variables,
        S3_ENDPOINT: `https://${ACCOUNT}.eu.r2.cloudflarestorage.com`,
        CORS_ORIGINS: 'https://game.example',
      },
    })
    const { ratelimits, durable_objects, migrations } = configuration
    expect(ratelimits).toContainEqual(expect.objectContaining({ name: 'WRITE_LIMIT', namespace_id: '2002' }))
    expect(ratelimits).toContainEqual(
      expect.objectContaining({ name: 'REQUEST_LIMIT', namespace_id: '1001' }),
    )
    expect([durable_objects, migrations]).not.toContain(undefined)
    expect(JSON.stringify(configuration)).not.toMatch(/local-(access|secret)-key|local_dev|src\/local\.ts/)
  })

  it.each([
    ['vars.DEVELOPMENT', { variables: { DEVELOPMENT: 'on' } }],
    ['vars.JWT_SECRET', { variables: { JWT_SECRET: 'x'.repeat(40) } }],
    ['vars.S3_ACCESS_KEY_ID', { variables: { S3_ACCESS_KEY_ID: 'local-access-key' } }],
    ['S3_ENDPOINT', { variables: { S3_ENDPOINT: 'local' } }],
    ['vars.S3_ENDPOINT', { variables: { S3_ENDPOINT: 'https://s3.example/cdn-cgi/local/r2/s3' } }],
    ['vars.JWKS_URL', { variables: { JWKS_URL: 'http://localhost:8787/jwks.json' } }],
    ['vars.JWT_ISSUER', { variables: { JWT_ISSUER: 'https://login.internal' } }],
    ['vars.CORS_ORIGINS', { origins: ['https://game.example', 'http://127.0.0.1:3000'] }],
  ])('is refused with %s of development', async (name, wrong) => {
    await withSettings(wrong)
    const refusals = refusalsIn(configurationOf(readSettings(studio.settings)))
    expect(refusals).not.toEqual([])
    expect(refusals.filter((refusal) => !refusal.startsWith(`${name} `))).toEqual([])
  })

  it('is refused with the entry of development, or with what only the simulator reads', async () => {
    await withSettings()
    const configuration = configurationOf(readSettings(studio.settings))
    expect(refusalsIn({ ...configuration, main: `${project}src/local.ts` })).toHaveLength(1)
    const r2_buckets = [{ binding: 'BUCKET', local_dev: { experimental_s3_credentials: {} } }]
    expect(refusalsIn({ ...configuration, r2_buckets: [{ ...r2_buckets[0], remote: true }] })).toHaveLength(1)
    expect(refusalsIn({ ...configuration, dev: { port: 8787 } })).toHaveLength(1)
  })

  it('names each setting that is wrong', async () => {
    await withSettings({ bucket: 'No', databases: [{ binding: 'OTHER', name: 'game' }], unknown: 1 })
    expect(() => readSettings(studio.settings)).toThrow(
      /databases\.0\.binding: [\s\S]*bucket: [\s\S]*unknown/,
    )
  })

  it('sets the CORS rules that the guide has', () => {
    const [, json = ''] =
      readFileSync(`${project}docs/deploying.md`, 'utf8').match(/^```json\n(\{\n {2}"rules".*?)^```$/ms) ?? []
    expect(JSON.parse(json)).toEqual(corsRules(['https://game.example']))
  })
})

describe('the bundle of a deployment', () => {
  it('is built by wrangler from the generated configuration, and holds nothing of development', async () => {
    await withSettings()
    const deployment = new Deployment(studio.settings, { isDryRun: true })
    expect(await bundle(deployment).plan()).toEqual([])
    const folder = folderOf(deployment.settings)
    const metafile = join(folder, 'bundle-meta.json')
    const sources = Object.keys(JSON.parse(readFileSync(metafile, 'utf8')).inputs)
    expect(sources.some((source) => source.endsWith('src/app.ts'))).toBe(true)

    const { JWT_SECRET = '' } = developmentVariables()
    writeFileSync(join(folder, 'bundle/more.js'), `export const secret = '${JWT_SECRET}'`)
    expect(refusalsInBundle(join(folder, 'bundle'), metafile)).toEqual([
      'more.js holds a secret of .dev.vars',
    ])
  })

  it('is refused when it holds what only development serves', async () => {
    await withSettings()
    const folder = folderOf(readSettings(studio.settings))
    const { metafile } = await build({
      entryPoints: [`${project}src/local.ts`],
      absWorkingDir: project,
      bundle: true,
      format: 'esm',
      external: ['cloudflare:*', 'node:*'],
      outfile: join(folder, 'bundle/index.js'),
      metafile: true,
      logLevel: 'silent',
    })
    const path = join(folder, 'bundle-meta.json')
    writeFileSync(path, JSON.stringify(metafile))
    expect(refusalsInBundle(join(folder, 'bundle'), path)).toContain(
      'the bundle holds src/local.ts, which only development serves',
    )
  })

  it('has variables that the Worker takes', async () => {
    await withSettings({ variables: { JWKS_URL: 'https://login.game.example/jwks.json', JWT_ISUER: 'x' } })
    const deployment = new Deployment(studio.settings, { isDryRun: true })
    await expect(bundle(deployment).plan()).rejects.toThrow(
      /JWT_ISUER is no variable[\s\S]*JWT_ISSUER is missing/,
    )
  })
})

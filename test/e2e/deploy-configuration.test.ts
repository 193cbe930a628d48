import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { corsRules } from '../../scripts/deploy/bucket.ts'
import { configurationOf, isJobOff } from '../../scripts/deploy/configuration.ts'
import { refusalsIn } from '../../scripts/deploy/refusals.ts'
import { readSettings } from '../../scripts/deploy/settings.ts'
import { project } from './citations.ts'
import { Studio, settings } from './deploy/run.ts'
import { ACCOUNT } from './deploy/stand-in.ts'

let studio: Studio | undefined

async function withSettings(more: object = {}): Promise<string> {
  studio = await Studio.with({ ...settings, ...more })
  return studio.settings
}
afterEach(() => studio?.end())

describe('the configuration of a deployment', () => {
  it('is that of wrangler.toml with the settings, without what is for development', async () => {
    const path = await withSettings({
      domain: 'storage.game.example',
      location: undefined,
      jurisdiction: 'eu',
      account_id: ACCOUNT,
      cron: '*/10 * * * *',
      rate_limit_namespaces: { WRITE_LIMIT: '2002' },
      metrics_dataset: 'game',
    })
    const configuration = configurationOf(readSettings(path))
    expect(refusalsIn(configuration)).toEqual([])
    expect(configuration).toMatchObject({
      main: `${project}src/index.ts`,
      account_id: ACCOUNT,
      routes: [{ pattern: 'storage.game.example', custom_domain: true }],
      workers_dev: false,
      triggers: { crons: ['*/10 * * * *'] },
      r2_buckets: [{ binding: 'BUCKET', bucket_name: 'edge-game-storage', jurisdiction: 'eu' }],
      analytics_engine_datasets: [{ binding: 'METRICS', dataset: 'game' }],
      queues: {
        producers: [
          { binding: 'EVENTS', queue: 'edge-game-storage-events' },
          { binding: 'CHECKS', queue: 'edge-game-storage-checks' },
        ],
        consumers: [
          { queue: 'edge-game-storage-events', max_batch_size: 100, max_retries: 100, max_concurrency: 20 },
          { queue: 'edge-game-storage-checks', max_batch_size: 12, max_retries: 100, max_concurrency: 20 },
        ],
      },
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

  it('keeps URLs out of the log, and bounds the CPU time of a request, except on the free plan', async () => {
    const settings = readSettings(await withSettings())
    expect(configurationOf(settings)).toMatchObject({
      observability: { enabled: true, logs: { enabled: true, invocation_logs: false } },
      limits: { cpu_ms: 15_000 },
      preview_urls: false,
    })
    expect(configurationOf({ ...settings, cpu_ms: 30_000 })).toMatchObject({ limits: { cpu_ms: 30_000 } })
    expect(configurationOf({ ...settings, cpu_ms: null }).limits).toBeUndefined()
  })

  it('keeps pictures in front of the Worker, except in a jurisdiction and where the settings say otherwise', async () => {
    const settings = readSettings(await withSettings())
    expect(configurationOf(settings).cache).toEqual({ enabled: true })
    expect(configurationOf({ ...settings, picture_cache: false }).cache).toEqual({ enabled: false })
    studio?.end()
    const within = { location: undefined, jurisdiction: 'eu' }
    const regional = readSettings(await withSettings(within))
    expect(configurationOf(regional).cache).toEqual({ enabled: false })
    expect(configurationOf({ ...regional, picture_cache: true }).cache).toEqual({ enabled: true })
  })

  it('has no queue unless the settings name one, which events and checks need', async () => {
    const path = await withSettings({ queue: undefined, check_queue: undefined })
    expect(configurationOf(readSettings(path))).not.toHaveProperty('queues')
    studio?.end()
    const variables = { WEBHOOK_URL: 'https://hooks.game.example/storage' }
    const needy = readSettings(await withSettings({ queue: undefined, variables }))
    expect(() => configurationOf(needy)).toThrow('WEBHOOK_URL needs a "queue"')
  })

  it('has the job off without a schedule, and refuses a job that is on without one', async () => {
    const { vars, triggers } = configurationOf(readSettings(await withSettings({ cron: null })))
    expect({ vars, triggers }).toMatchObject({ vars: { JOB: 'off' }, triggers: { crons: [] } })
    studio?.end()
    const usual = readSettings(await withSettings())
    expect(configurationOf(usual).vars).not.toHaveProperty('JOB')
    expect([usual, { ...usual, cron: null }, { ...usual, variables: { JOB: 'off' } }].map(isJobOff)).toEqual([
      false,
      true,
      true,
    ])
    studio?.end()
    const settings = readSettings(await withSettings({ cron: null, variables: { JOB: 'on' } }))
    expect(() => configurationOf(settings)).toThrow('"cron": null switches the job off')
  })

  it('has the queue of events or of checks alone, and never one for both', async () => {
    const alone = configurationOf(readSettings(await withSettings({ queue: undefined })))
    expect(alone.queues).toMatchObject({
      producers: [{ binding: 'CHECKS', queue: 'edge-game-storage-checks' }],
      consumers: [{ queue: 'edge-game-storage-checks' }],
    })
    studio?.end()
    const both = readSettings(await withSettings({ check_queue: 'edge-game-storage-events' }))
    expect(() => configurationOf(both)).toThrow('would hold each other up')
  })

  it('binds the Worker that checks content', async () => {
    const path = await withSettings({ content_checker: 'my-content-checker' })
    const configuration = configurationOf(readSettings(path))
    expect(configuration.services).toEqual([{ binding: 'CONTENT_CHECK', service: 'my-content-checker' }])
    expect(refusalsIn(configuration)).toEqual([])
    studio?.end()
    expect(configurationOf(readSettings(await withSettings())).services).toEqual([])
  })

  it.each([
    [
      'without a queue',
      { check_queue: undefined },
      'content_checker needs a "check_queue": the name of a queue of its own, which this command creates',
    ],
    [
      'beside an address',
      { variables: { CONTENT_CHECK_URL: 'https://checker.game.example' } },
      'it is named by content_checker and by CONTENT_CHECK_URL',
    ],
    ['that is no name', { content_checker: 'https://checker.game.example' }, 'content_checker: must be 3 to'],
  ])('is refused with a checker of content %s', async (_, wrong, reason) => {
    const path = await withSettings({ content_checker: 'my-content-checker', ...wrong })
    expect(() => configurationOf(readSettings(path))).toThrow(reason)
  })

  it('is refused with the service as its own checker', async () => {
    const settings = readSettings(await withSettings())
    expect(() => configurationOf({ ...settings, content_checker: settings.name })).toThrow(
      'the service itself',
    )
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
    const path = await withSettings(wrong)
    const refusals = refusalsIn(configurationOf(readSettings(path)))
    expect(refusals).not.toEqual([])
    expect(refusals.filter((refusal) => !refusal.startsWith(`${name} `))).toEqual([])
  })

  it('is refused with the entry of development, or with what only the simulator reads', async () => {
    const path = await withSettings()
    const configuration = configurationOf(readSettings(path))
    expect(refusalsIn({ ...configuration, main: `${project}src/local/worker.ts` })).toHaveLength(1)
    const r2_buckets = [{ binding: 'BUCKET', local_dev: { experimental_s3_credentials: {} } }]
    expect(refusalsIn({ ...configuration, r2_buckets: [{ ...r2_buckets[0], remote: true }] })).toHaveLength(1)
    expect(refusalsIn({ ...configuration, dev: { port: 8787 } })).toHaveLength(1)
  })

  it('names each setting that is wrong', async () => {
    const path = await withSettings({
      bucket: 'No',
      databases: [{ binding: 'OTHER', name: 'game' }],
      unknown: 1,
    })
    expect(() => readSettings(path)).toThrow(/databases\.0\.binding: [\s\S]*bucket: [\s\S]*unknown/)
  })

  it('sets the CORS rules that the guide has', () => {
    const [, json = ''] =
      readFileSync(`${project}docs/deploying.md`, 'utf8').match(/^```json\n(\{\n {2}"rules".*?)^```$/ms) ?? []
    expect(JSON.parse(json)).toEqual(corsRules(['https://game.example']))
  })
})

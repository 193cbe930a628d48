import { readFileSync } from 'node:fs'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { variables } from './test/support/variables.ts'

const bucket = 'edge-game-storage'
const credentials = {
  accessKeyId: variables.S3_ACCESS_KEY_ID,
  secretAccessKey: variables.S3_SECRET_ACCESS_KEY,
}

/**
 * The S3 address of the local bucket, as `wrangler dev` runs it on its own port: the same Worker out of
 * miniflare, here as a service that tests send signed requests to.
 */
function s3() {
  const script = readFileSync(
    new URL('workers/r2/s3/index.worker.js', import.meta.resolve('miniflare')),
    'utf8',
  )
  return {
    name: 's3',
    compatibilityDate: '2026-01-01',
    compatibilityFlags: ['nodejs_compat'],
    modules: [{ type: 'ESModule' as const, path: 's3.js', contents: script }],
    bindings: { MINIFLARE_R2_S3_CREDENTIALS: { [bucket]: credentials } },
    r2Buckets: { [`MINIFLARE_R2_S3_BUCKET_${bucket}`]: bucket },
  }
}

/** How much the proofs in test/proofs are to do, and from which seed: `npm run prove:…` sets these (scripts/prove.ts). */
function proof() {
  const { PROVE_SEED, PROVE_AMOUNT, PROVE_REPLAY, PROVE_ROUNDS } = process.env
  return {
    seed: Number(PROVE_SEED ?? 20_261_121),
    amount: Number(PROVE_AMOUNT ?? 0),
    replay: PROVE_REPLAY ?? '',
    rounds: Number(PROVE_ROUNDS || 50),
  }
}

/** A second Worker (test/publisher), bound to the service's `NotificationPublisher`, which knows it by its name. */
function publisher(name: string) {
  const script = readFileSync(new URL('test/notifications/publisher/worker.js', import.meta.url), 'utf8')
  return {
    name,
    compatibilityDate: '2026-10-01',
    modules: [{ type: 'ESModule' as const, path: 'worker.js', contents: script }],
    serviceBindings: {
      NOTIFICATIONS: {
        name: 'vitest-plugin-runner-workers', // so the plugin calls the Worker under test in the project "workers"
        entrypoint: 'NotificationPublisher',
        props: { publisher: name },
      },
    },
  }
}

export default defineConfig(async () => ({
  test: {
    silent: 'passed-only' as const,
    maxWorkers: 2,
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: { ...variables, MIGRATIONS: await readD1Migrations('migrations') },
              serviceBindings: { S3: 's3', SOCIAL: 'social', GUILDS: 'guilds' },
              workers: [s3(), publisher('social'), publisher('guilds')],
            },
          }),
        ],
        test: {
          name: 'workers',
          include: ['test/*/*.test.ts'],
          exclude: ['test/e2e/**'],
          setupFiles: ['test/support/setup.ts'],
          globalSetup: ['test/support/login.ts'],
          provide: { proof: proof() },
          testTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
}))

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
    rounds: Number(PROVE_ROUNDS || 12),
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

/** A project of tests that run in the Workers runtime, some of them beside other Workers that publish. */
async function inWorkers(name: string, include: string, testTimeout: number, publishers: string[] = []) {
  const services = publishers.map((service) => [service.toUpperCase(), service])
  return {
    plugins: [
      cloudflareTest({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          bindings: { ...variables, MIGRATIONS: await readD1Migrations('migrations') },
          serviceBindings: { S3: 's3', ...Object.fromEntries(services) },
          workers: [s3(), ...publishers.map(publisher)],
        },
      }),
    ],
    test: {
      name,
      include: [include],
      testTimeout,
      hookTimeout: TIMEOUT_MS,
      setupFiles: ['test/support/setup.ts'],
      globalSetup: ['test/support/login.ts'],
      provide: { proof: proof() },
    },
  }
}

/** A project of tests against the development server: each file starts its own, unless `globalSetup` starts one for all. */
function inNode(name: string, include: string, testTimeout: number, globalSetup: string[] = []) {
  // A start takes three seconds on an idle machine, in which the Worker is bundled.
  return {
    test: {
      name,
      include: [include],
      testTimeout,
      hookTimeout: 120_000,
      globalSetup: ['test/e2e/setup.ts', ...globalSetup],
      // A condition is waited for as long as the machine takes: the usual second is short on a busy one.
      expect: { poll: { timeout: 15_000 } },
    },
  }
}

/** A test that takes longer says so, and why. It is several times what a test takes on an idle machine. */
const TIMEOUT_MS = 30_000
/** A proof takes as long as the amount asks that it is run with. */
const PROOF_TIMEOUT_MS = 24 * 60 * 60 * 1_000

/** Projects begin in the order of their names, so that the short files of `races` come last and no core waits long. */
export default defineConfig(async () => ({
  test: {
    silent: 'passed-only' as const,
    maxWorkers: 2,
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      await inWorkers('workers', 'test/!(races|proofs|bench|e2e)/*.test.ts', TIMEOUT_MS, [
        'social',
        'guilds',
      ]),
      await inWorkers('proofs', 'test/proofs/*.test.ts', PROOF_TIMEOUT_MS),
      await inWorkers('races', 'test/races/*.test.ts', PROOF_TIMEOUT_MS),
      await inWorkers('load', 'test/bench/*.test.ts', PROOF_TIMEOUT_MS),
      inNode('e2e', 'test/e2e/!(crash|demo|browser|site).test.ts', TIMEOUT_MS),
      inNode('demo', 'test/e2e/demo.test.ts', TIMEOUT_MS),
      inNode('browser', 'test/e2e/{browser,site,console/*}.test.ts', TIMEOUT_MS, [
        'test/e2e/browser/shared-server.ts',
      ]),
      inNode('crash', 'test/e2e/crash.test.ts', PROOF_TIMEOUT_MS),
      inNode('client', 'test/e2e/proofs/*.test.ts', PROOF_TIMEOUT_MS),
    ],
  },
}))

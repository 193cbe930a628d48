import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { tags } from './scripts/acceptance/tags.ts'
import { keepTemporaryFilesInMemory } from './test/support/temporary-files.ts'
import { variables } from './test/support/variables.ts'

keepTemporaryFilesInMemory()
// Tests start some hundred processes of Node, wrangler's most of all: with their code compiled before, these take a fifth less.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

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

/** How much the proofs in test/proofs are to do, and from which seed: `npm run prove -- NAME` sets these (scripts/prove.ts). */
function proof() {
  const { PROVE_SEED, PROVE_AMOUNT, PROVE_REPLAY, PROVE_ROUNDS } = process.env
  return {
    seed: Number(PROVE_SEED ?? 20_261_121),
    amount: Number(PROVE_AMOUNT ?? 0),
    replay: PROVE_REPLAY ?? '',
    rounds: Number(PROVE_ROUNDS || 0),
  }
}

/** A second Worker (test/notifications/publisher), bound to the `NotificationPublisher` of a project, which knows it by its name. */
function publisher(name: string, project: string) {
  const script = readFileSync(new URL('test/notifications/publisher/worker.js', import.meta.url), 'utf8')
  return {
    name,
    compatibilityDate: '2026-10-01',
    modules: [{ type: 'ESModule' as const, path: 'worker.js', contents: script }],
    serviceBindings: {
      NOTIFICATIONS: {
        name: `vitest-plugin-runner-${project}`, // so the plugin calls the Worker under test
        entrypoint: 'NotificationPublisher',
        props: { publisher: name },
      },
    },
  }
}

/** The bindings of a replica of each of these databases (test/support/replicas.ts). */
function replicasOf(names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${name}_REPLICA`, `${name}_REPLICA`]))
}

/** A second Worker (test/http/older-objects), whose objects have none of the methods of today's. */
function older() {
  const script = readFileSync(new URL('test/http/older-objects/worker.js', import.meta.url), 'utf8')
  return {
    name: 'older',
    compatibilityDate: '2026-10-01',
    modules: [{ type: 'ESModule' as const, path: 'worker.js', contents: script }],
    durableObjects: { OLDER: { className: 'Older', useSQLite: true } },
  }
}

/** The bindings of its objects. */
const olderObjects = Object.fromEntries(
  ['INBOX', 'SAVES', 'JANITOR'].map((name) => [`OLDER_${name}`, { className: 'Older', scriptName: 'older' }]),
)

/** The bindings of databases beside the first, when there are `count` of them: DB_1, DB_2, … */
function furtherDatabases(count: number): Record<string, string> {
  const names = Array.from({ length: count - 1 }, (_, index) => `DB_${index + 1}`)
  return Object.fromEntries(names.map((name) => [name, name]))
}

interface InWorkers {
  include: string[]
  exclude?: string[]
  testTimeout: number
  /** The names of Workers beside it that publish. */
  publishers?: string[]
  /** How many databases there are. Every partition p is in database p % databases (test/support/databases.ts). */
  databases?: number
  /** Whether the catalogue has a database of its own. */
  catalogue?: boolean
  /** Whether proofs are to do a part of what a short run does. */
  brief?: boolean
}

/**
 * Loads what the service imports on demand together with the file that does. In these tests each `import()` is a call out of
 * the runtime, and requests that make it at once share its promise: one of them may wait for ever. On the platform it is no
 * call, because the bundle has the module in it; `e2e` tests the bundle.
 */
const importsAtOnce: Plugin = {
  name: 'imports-at-once',
  enforce: 'pre',
  transform(code, id) {
    if (!id.includes('/src/')) return undefined
    const modules: string[] = []
    const replaced = code.replace(/\bimport\(('[^']+')\)/g, (_, module: string) => {
      modules.push(`import * as atOnce${modules.length} from ${module}`)
      return `Promise.resolve(atOnce${modules.length - 1})`
    })
    return `${replaced}\n${modules.join('\n')}`
  },
}

/** What the service and its tests import, so that each is one module: a runtime asks for each module by itself. */
const PACKAGES = [
  '@cfworker/json-schema',
  '@hono/zod-openapi',
  'aws4fetch',
  'content-disposition',
  'drizzle-orm',
  'drizzle-orm/casing',
  'drizzle-orm/sqlite-core',
  'drizzle-orm/sqlite-core/columns/integer',
  'drizzle-orm/sqlite-core/columns/text',
  'drizzle-orm/sqlite-core/primary-keys',
  'drizzle-orm/sqlite-core/table',
  'hono',
  'hono/body-limit',
  'hono/cors',
  'hono/factory',
  'hono/http-exception',
  'hono/route',
  'hono/utils/url',
  'jose',
  'jose/base64url',
  'jose/errors',
  'jose/jwks/remote',
  'jose/jwt/verify',
  'lossless-json',
  'standardwebhooks',
  'uuid',
  'zod',
]

/** A project of tests that run in the Workers runtime. */
async function inWorkers(
  name: string,
  {
    include,
    exclude = [],
    testTimeout,
    publishers = [],
    databases = DATABASES,
    catalogue = false,
    brief = false,
  }: InWorkers,
) {
  const services = publishers.map((service) => [service.toUpperCase(), service])
  const further = { ...furtherDatabases(databases), ...(catalogue && { CATALOG: 'CATALOG' }) }
  return {
    plugins: [
      importsAtOnce,
      cloudflareTest({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          bindings: {
            ...variables,
            MIGRATIONS: await readD1Migrations({
              migrationsDir: 'migrations',
              migrationsPattern: 'migrations/0*.sql',
            }),
          },
          d1Databases: { ...further, ...replicasOf(['DB', ...Object.keys(further)]) },
          durableObjects: olderObjects,
          serviceBindings: { S3: 's3', ...Object.fromEntries(services) },
          workers: [s3(), older(), ...publishers.map((service) => publisher(service, name))],
        },
      }),
    ],
    test: {
      name,
      include,
      exclude,
      testTimeout,
      hookTimeout: TIMEOUT_MS,
      deps: {
        optimizer: {
          ssr: { enabled: true, include: PACKAGES },
        },
      },
      // A runtime for each file would take a second more for each; the setup clears what the file before has stored.
      isolate: false,
      // The plugin (1.4.10, 1.5.0) loses the source maps of cached modules: a failure would name a line further down.
      fsModuleCache: false,
      setupFiles: ['test/support/setup.ts'],
      globalSetup: ['test/support/login.ts'],
      provide: { proof: { ...proof(), brief } },
    },
  }
}

/**
 * A project of tests against the development server: each file starts its own, unless `globalSetup` starts one for several.
 * With `isolate: false`, files that follow each other in a process share its modules.
 */
function inNode(
  name: string,
  include: string,
  testTimeout: number,
  { globalSetup = [] as string[], isolate = true } = {},
) {
  // A start takes three seconds on an idle machine, in which the Worker is bundled.
  return {
    test: {
      name,
      include: [include],
      isolate,
      testTimeout,
      hookTimeout: 120_000,
      setupFiles: ['test/e2e/drawn.ts'],
      globalSetup: ['test/e2e/setup.ts', ...globalSetup],
      // A condition is waited for as long as the machine takes: the usual second is short on a busy one.
      expect: { poll: { timeout: 15_000 } },
    },
  }
}

/** How many databases the Workers projects have that don't say it themselves: `npm run prove -- model --databases 3`. */
const DATABASES = Number(process.env.PROVE_DATABASES || 1)
/** Whether the catalogue has a database of its own in the proofs: `npm run prove -- catalogue --databases 3 --catalogue shared`. */
const IS_CATALOGUE_OWN = (process.env.PROVE_CATALOGUE || (DATABASES > 1 ? 'own' : 'shared')) === 'own'
const PUBLISHERS = ['social', 'guilds']
/** The tests of what the service does, over one database and over several. */
const BLACK_BOX = 'test/!(acceptance|races|proofs|e2e|shards|csharp)/*.test.ts'

/** What `npm run check` holds of the pages, of references and of the folders: it reads files, and starts nothing. */
const DOCUMENTS = 'test/e2e/{house,pages,references,requirements,guide-search}.test.ts'

/** Proofs that `npm test` does in short, when an amount is asked for. */
const AT_LENGTH = process.env.PROVE_AMOUNT ? ['test/jobs/event-crashes.test.ts'] : []

/** What a short run does over three databases only, where partitions move, too: a long one says over how many. */
const OVER_THREE = process.env.PROVE_AMOUNT
  ? []
  : ['test/proofs/{killed-decisions,model,pairs}.test.ts', 'test/races/catalogue-races.test.ts']

/** What `npm run prove` does over three databases; `npm run prove -- shards` does all of it. */
const SHARDS_IN_BRIEF = [
  'test/shards/*.test.ts',
  'test/proofs/{catalogue,killed-decisions,model,pairs}.test.ts',
  'test/races/catalogue-races.test.ts',
  'test/operators/audit.test.ts',
]

/** Tests that `shards` leaves out. */
const ABOUT_ONE_DATABASE = [
  'test/db/*.test.ts', // the schema, ids and plans, which are the same in every database
]

/** A test that takes longer says so, and why. It is several times what a test takes on an idle machine. */
const TIMEOUT_MS = 30_000
/** A server, a browser and its pages share a busy machine with other tests: what takes a second there may take thirty. */
const BUSY_TIMEOUT_MS = 120_000
/** A proof takes as long as the amount asks that it is run with. */
const PROOF_TIMEOUT_MS = 24 * 60 * 60 * 1_000

/** Short files that take long. */
const LONG = /\/capacity\/requests\.test\.ts$/

/** Begins each project with its long files, so that no core waits for one of them at the end. Vitest begins with the largest. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap((some) => {
      const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
      return [...some.filter(isLong), ...some.filter((file) => !isLong(file))]
    })
  }
}

/** Projects begin in the order of their names: the many short files of `workers` come last, and no core waits long. */
export default defineConfig(async () => ({
  test: {
    silent: 'passed-only' as const,
    tags,
    sequence: { sequencer: LongFirst },
    maxWorkers: 3, // on two cores: tests of servers and browsers wait a third of their time; four take longer
    reporters: ['default', './test/support/closing-line.ts', './test/support/unused-notes.ts'],
    projects: [
      await inWorkers('workers', { include: [BLACK_BOX], testTimeout: TIMEOUT_MS, publishers: PUBLISHERS }),
      await inWorkers('shards', {
        include: [BLACK_BOX, 'test/shards/*.test.ts'],
        exclude: ABOUT_ONE_DATABASE,
        testTimeout: TIMEOUT_MS,
        publishers: PUBLISHERS,
        databases: 3,
        catalogue: true,
      }),
      await inWorkers('shards-brief', {
        include: SHARDS_IN_BRIEF,
        testTimeout: PROOF_TIMEOUT_MS,
        databases: 3,
        catalogue: true,
        brief: true,
      }),
      await inWorkers('proofs', {
        include: ['test/{proofs,races}/*.test.ts', ...AT_LENGTH],
        exclude: OVER_THREE,
        testTimeout: PROOF_TIMEOUT_MS,
        catalogue: IS_CATALOGUE_OWN,
      }),
      await inWorkers('load', { include: ['bench/*.test.ts'], testTimeout: PROOF_TIMEOUT_MS }),
      { test: { name: 'documents', include: [DOCUMENTS], isolate: false, testTimeout: TIMEOUT_MS } },
      inNode(
        'e2e',
        'test/e2e/!(crash|demo|browser|site|house|pages|references|requirements|guide-search).test.ts',
        BUSY_TIMEOUT_MS,
        {
          globalSetup: ['test/e2e/shared-servers.ts'],
          isolate: false, // each process would load the client and its tools anew
        },
      ),
      inNode('demo', 'test/e2e/demo.test.ts', BUSY_TIMEOUT_MS),
      inNode('browser', 'test/e2e/{browser,site,console/*}.test.ts', BUSY_TIMEOUT_MS, {
        globalSetup: ['test/e2e/browser/shared-server.ts'],
        isolate: false, // for the browser that files share
      }),
      inNode('crash', 'test/e2e/crash.test.ts', PROOF_TIMEOUT_MS),
      inNode('csharp', 'test/csharp/*.test.ts', PROOF_TIMEOUT_MS, {
        globalSetup: ['test/e2e/shared-servers.ts', 'test/csharp/build.ts'],
        isolate: false, // for the programs that run scenarios of one file after the other
      }),
      inNode('client', 'test/e2e/proofs/*.test.ts', PROOF_TIMEOUT_MS, {
        globalSetup: ['test/e2e/shared-servers.ts'],
        isolate: false,
      }),
    ],
  },
}))

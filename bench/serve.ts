import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { project } from '../scripts/development.ts'
import type { Plans } from './plan.ts'

/** The sources of the Workers. */
export interface Sources {
  /** The bundle of src/index.ts, as deployed. */
  service: string
  /** The service with the probe's route and entrypoint. */
  probe: string
  floor: string
}

const IDLE =
  'export class Inbox {}; export class Janitor {}; export class Saves {}; export default { fetch: () => new Response() }'

/** Probe and floor of a bench that only measures the service. */
export const idle = { probe: `${IDLE}; export const recorder = {}`, floor: IDLE }

/** The local runtime with every Worker of the bench in one process. */
export interface Runtime {
  /** The first database. */
  database: Database
  databases: Database[]
  /** Gives the floor its plans, which are recorded in this same runtime. */
  setPlans(plans: Plans): Promise<void>
  /** The origin of a Worker. Ask each time, because `setPlans` changes it. */
  addressOf(worker: 'service' | 'probe' | 'floor' | 'recorder'): Promise<string>
  stop(): Promise<void>
}

export type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

/** The service's variables: limits that no bench reaches, and a storage endpoint that is never called. */
export const variables = {
  JWT_SECRET: 'a secret of the bench, known to nobody else',
  S3_ENDPOINT: 'https://storage.bench.example',
  S3_ACCESS_KEY_ID: 'bench-access-key',
  S3_SECRET_ACCESS_KEY: 'bench-secret-key',
  RATE_LIMITS: 'off',
  REPLICA_LAG: '0', // no trip after an answer, which would be another one's time
  CONTENT_GRACE_DAYS: '0', // waits.ts waits until every object is deleted
  DEFAULT_QUOTA_BYTES: String(1e15),
  MAX_ITEMS: String(1e9),
  MAX_ASSETS: String(1e9),
  MAX_OPEN_UPLOADS: String(1e9),
  MAX_PUBLIC_ASSETS: String(1e9),
  MAX_VERSIONS: String(1e9),
  MAX_VERSIONS_PER_ASSET: String(1e9),
  MAX_ENDED_UPLOADS: String(1e9),
  MAX_IDEMPOTENCY_KEYS: String(1e9),
  MAX_NOTIFICATIONS: String(1e9),
}

/**
 * Starts the runtime with `count` databases. `more`: variables of the service in addition to those of every bench. Each Worker
 * has a socket of its own, because Miniflare's proxy would be the bottleneck.
 */
export async function serve(
  sources: Sources,
  defaultPersistRoot: string,
  count = 1,
  inspectorPort?: number,
  more: Record<string, string> = {},
): Promise<Runtime> {
  const host = '127.0.0.1'
  const socket = { host, port: 0 }
  process.env.WRANGLER_LOG ??= 'error' // hides notes about wrangler.toml and .dev.vars, which concern no bench
  const deployed = unstable_getMiniflareWorkerOptions(`${project}wrangler.toml`)
  const { externalWorkers } = deployed
  // Without the static pages, which no measured path uses.
  const { assets: _, ...options } = deployed.workerOptions
  const names = Array.from({ length: count }, (_, i) => (i === 0 ? 'DB' : `DB_${i}`))
  const further = Object.fromEntries(names.slice(1).map((name) => [name, name]))
  const workerOptions = { ...options, d1Databases: { DB: 'DB', ...further } }
  // Probe and floor without Durable Objects, which the probe's classes can't serve, and without queue consumers: a queue has
  // only one.
  const others = { ...workerOptions, durableObjects: {}, queueConsumers: {} }
  const inbox = { INBOX: { className: 'Inbox', useSQLite: true } }
  const modules = (contents: string) => [{ type: 'ESModule' as const, path: 'index.js', contents }]

  const optionsWith = (plans: Plans) => {
    const workers: V4WorkerOptions[] = [
      {
        ...workerOptions,
        name: 'service',
        bindings: { ...variables, ...more },
        modules: modules(sources.service),
        unsafeDirectSockets: [socket],
      },
      {
        ...others,
        name: 'probe',
        bindings: variables,
        modules: modules(sources.probe),
        unsafeDirectSockets: [socket, { ...socket, entrypoint: 'recorder' }],
      },
      {
        ...others,
        durableObjects: inbox,
        name: 'floor',
        bindings: { ...variables, PLANS: JSON.stringify(plans) },
        modules: modules(sources.floor),
        unsafeDirectSockets: [socket],
      },
      ...externalWorkers,
    ]
    const inspector = inspectorPort === undefined ? {} : { inspectorPort, inspectorHost: host }
    const runtime = { host, port: 0, cf: false, defaultPersistRoot, ...inspector } as const
    return convertV4MiniflareOptions({ ...runtime, workers, handleStructuredLogs: withoutRequests })
  }

  const miniflare = new Miniflare(optionsWith({}))
  await miniflare.ready
  const databases = await Promise.all(names.map((name) => miniflare.getD1Database(name, 'service')))
  const [database] = databases
  if (!database) throw new Error('a bench has a database')
  return {
    database,
    databases,
    setPlans: (plans) => miniflare.setOptions(optionsWith(plans)),
    addressOf: async (worker) => {
      const url =
        worker === 'recorder'
          ? await miniflare.unsafeGetDirectURL('probe', 'recorder')
          : await miniflare.unsafeGetDirectURL(worker)
      return url.origin
    },
    stop: () => miniflare.dispose(),
  }
}

/** Prints the Workers' logs, without the lines of requests with a status below 500. */
function withoutRequests({ message }: { message: string }): void {
  if (!/^\{"message":"request".*"status":[1-4]/.test(message)) console.error(message)
}

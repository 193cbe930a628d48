import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { project } from './bundle.ts'
import type { Plans } from './plan.ts'

/** The sources of the Workers. */
export interface Sources {
  /** src/index.ts: what is deployed. */
  service: string
  /** The service once more, with the probe's own route and entrypoint. */
  probe: string
  floor: string
}

/** The local runtime with every Worker of the bench in one process. */
export interface Runtime {
  /** The first database. */
  database: Database
  databases: Database[]
  /** Gives the floor its plans, which are recorded while it already runs. */
  setPlans(plans: Plans): Promise<void>
  /** Where a Worker listens. Asked anew each time, since new plans move it. */
  addressOf(worker: 'service' | 'probe' | 'floor' | 'recorder'): Promise<string>
  stop(): Promise<void>
}

export type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

/** The service's settings: limits that no bench reaches, and an address that is signed for and never called. */
export const variables = {
  JWT_SECRET: 'a secret of the bench, known to nobody else',
  S3_ENDPOINT: 'https://storage.bench.example',
  S3_ACCESS_KEY_ID: 'bench-access-key',
  S3_SECRET_ACCESS_KEY: 'bench-secret-key',
  RATE_LIMITS: 'off',
  CONTENT_GRACE_DAYS: '0', // the bench of the job's backlog waits until every object has gone
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
 * Starts the runtime with so many databases, and the service with these variables beside those of every bench. Requests go straight to each Worker's own socket: a proxy in front would be
 * the limit.
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
  process.env.WRANGLER_LOG ??= 'error' // it has things to say about wrangler.toml and .dev.vars that concern no bench
  const deployed = unstable_getMiniflareWorkerOptions(`${project}wrangler.toml`)
  const { externalWorkers } = deployed
  // Without the pages: they come before the Worker for paths of their own only.
  const { assets: _, ...options } = deployed.workerOptions
  const names = Array.from({ length: count }, (_, i) => (i === 0 ? 'DB' : `DB_${i}`))
  const further = Object.fromEntries(names.slice(1).map((name) => [name, name]))
  const workerOptions = { ...options, d1Databases: { DB: 'DB', ...further } }
  // The probe has no class to put behind a Durable Object's binding; what it measures needs none.
  // A queue has one consumer.
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

/** Prints what the Workers log, without the line of each request that was answered. */
function withoutRequests({ message }: { message: string }): void {
  if (!/^\{"message":"request".*"status":[1-4]/.test(message)) console.error(message)
}

/** Makes wrangler's configuration for a deployment: wrangler.toml without its development values, plus the settings. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { project } from '../development.ts'
import { migrations, projectConfiguration } from '../wrangler-configuration.ts'
import { domainsOf, type Settings } from './settings.ts'

/** The queues of wrangler.toml: the bindings, and the settings of the consumers. */
const Queues = z.object({
  producers: z.array(z.object({ binding: z.string(), queue: z.string() })),
  consumers: z.array(z.looseObject({ queue: z.string() })),
})

const Services = z.array(z.looseObject({ binding: z.string() })).default([])

const RateLimits = z.array(z.looseObject({ name: z.string(), namespace_id: z.string() })).default([])

/** A configuration as wrangler reads it. */
export type Configuration = ReturnType<typeof projectConfiguration>

/** The fields of wrangler.toml that the settings of a deployment replace. */
const DEVELOPMENT_ONLY = [
  'vars',
  'dev',
  'env',
  'd1_databases',
  'r2_buckets',
  'queues',
  'routes',
  'route',
  'triggers',
]

/** The binding of the Worker that checks content. */
const CHECKER = 'CONTENT_CHECK'

/** The folder for the configuration and the bundle of a deployment. */
export const folderOf = ({ name }: Settings) => join(project, 'out/deploy', name)

/** The URL of the account's S3 API. The account is unknown before the first login, and zeros take its place. */
function s3Endpoint({ account_id = '0'.repeat(32), jurisdiction }: Settings): string {
  return `https://${account_id}${jurisdiction ? `.${jurisdiction}` : ''}.r2.cloudflarestorage.com`
}

/** The variable with the location of databases and bucket, in which the objects of the job are made. A jurisdiction excludes it. */
export function locationOf({ location, jurisdiction }: Settings): { LOCATION?: string } {
  const isChosen = location !== undefined && location !== 'automatic' && jurisdiction === undefined
  return isChosen ? { LOCATION: location } : {}
}

/** Whether a deployment stops the scheduled job. */
export function isJobOff({ cron, variables }: Settings): boolean {
  return cron === null || variables.JOB === 'off'
}

/** The variables of a deployment, without the secrets. */
export function variablesOf(settings: Settings): Record<string, string> {
  return {
    S3_ENDPOINT: s3Endpoint(settings),
    S3_BUCKET: settings.bucket,
    ...(settings.jurisdiction !== undefined && { JURISDICTION: settings.jurisdiction }),
    ...locationOf(settings),
    ...(settings.origins.length > 0 && { CORS_ORIGINS: settings.origins.join(',') }),
    ...(settings.copy_guards && {
      COPY_GUARDS_PUT: settings.copy_guards.put.join(',') || 'none',
      COPY_GUARDS_PART: settings.copy_guards.part.join(',') || 'none',
    }),
    ...settings.variables,
    // The Janitor's alarm works on a backlog even when no schedule is set.
    ...(settings.cron === null && { JOB: 'off' }),
  }
}

/**
 * Makes the configuration of a deployment.
 *
 * @throws Error when the settings name a rate limit that wrangler.toml lacks, name no queue although one is needed, name two
 *   checkers of content, or have no schedule although the job is on
 */
export function configurationOf(settings: Settings): Configuration {
  const base = projectConfiguration()
  const kept = Object.entries(base).filter(([key]) => !DEVELOPMENT_ONLY.includes(key))
  const { jurisdiction, zone, cpu_ms } = settings
  const domains = domainsOf(settings)
  if (settings.cron === null && settings.variables.JOB === 'on')
    throw new Error('"cron": null switches the job off, and the variable JOB is "on": remove one of them')
  return {
    ...Object.fromEntries(kept),
    main: base.main,
    alias: base.alias,
    name: settings.name,
    ...(settings.account_id !== undefined && { account_id: settings.account_id }),
    ...(domains.length === 0
      ? { workers_dev: true }
      : {
          workers_dev: false,
          routes: domains.map((pattern) => ({
            pattern,
            custom_domain: true,
            ...(zone !== undefined && { zone_name: zone }),
          })),
        }),
    // The cache of Workers is everywhere, so a jurisdiction excludes it.
    cache: { enabled: settings.picture_cache ?? jurisdiction === undefined },
    ...(cpu_ms !== undefined && { limits: cpu_ms === null ? undefined : { cpu_ms } }),
    preview_urls: false,
    vars: variablesOf(settings),
    triggers: { crons: settings.cron === null ? [] : [settings.cron] },
    d1_databases: settings.databases.map(({ binding, name, id }) => ({
      binding,
      database_name: name,
      ...(id !== undefined && { database_id: id }),
      ...migrations,
    })),
    r2_buckets: [
      {
        binding: 'BUCKET',
        bucket_name: settings.bucket,
        ...(jurisdiction !== undefined && { jurisdiction }),
      },
    ],
    ...queues(base.queues, settings),
    services: services(base.services, settings),
    ratelimits: rateLimits(base.ratelimits, settings.rate_limit_namespaces),
    ...(settings.metrics_dataset !== undefined && {
      analytics_engine_datasets: [{ binding: 'METRICS', dataset: settings.metrics_dataset }],
    }),
  }
}

/** The producers and consumers of the queues that the settings name, with the batch sizes and limits of wrangler.toml. */
function queues(ofProject: unknown, settings: Settings): { queues?: unknown } {
  const { queue, check_queue, variables, content_checker } = settings
  if (queue === undefined && variables.WEBHOOK_URL) throw new Error('WEBHOOK_URL needs a "queue"')
  const needy = [
    ...(variables.CONTENT_CHECK_URL ? ['CONTENT_CHECK_URL'] : []),
    ...(content_checker === undefined ? [] : ['content_checker']),
  ]
  if (check_queue === undefined && needy.length > 0)
    throw new Error(
      `${needy.join(' and ')} needs a "check_queue": the name of a queue of its own, which this command creates`,
    )
  if (queue !== undefined && queue === check_queue)
    throw new Error(`"queue" and "check_queue" are both ${queue}: checks and events would hold each other up`)
  const named = new Map(Object.entries({ EVENTS: queue, CHECKS: check_queue }))
  const { producers, consumers } = Queues.parse(ofProject)
  const used = producers.flatMap(({ binding, queue: local }) => {
    const name = named.get(binding)
    return name === undefined ? [] : [{ binding, local, name }]
  })
  if (used.length === 0) return {}
  return {
    queues: {
      producers: used.map(({ binding, name }) => ({ binding, queue: name })),
      consumers: used.flatMap(({ local, name }) =>
        consumers.filter((one) => one.queue === local).map((one) => ({ ...one, queue: name })),
      ),
    },
  }
}

/** The Workers that the service calls: those of wrangler.toml, and the checker of content. */
function services(ofProject: unknown, { name, content_checker, variables }: Settings): unknown[] {
  const others = Services.parse(ofProject)
  const bound = others.some(({ binding }) => binding === CHECKER) ? 'a service of wrangler.toml' : undefined
  const given = [
    content_checker === undefined ? undefined : 'content_checker',
    variables.CONTENT_CHECK_URL ? 'CONTENT_CHECK_URL' : undefined,
    bound,
  ].filter((one) => one !== undefined)
  if (given.length > 1)
    throw new Error(`Content has one checker, and it is named by ${given.join(' and by ')}`)
  if (content_checker === name)
    throw new Error(`content_checker is ${name}, the service itself: name the Worker that checks content`)
  return content_checker === undefined ? others : [...others, { binding: CHECKER, service: content_checker }]
}

function rateLimits(ofProject: unknown, namespaces: Settings['rate_limit_namespaces']): unknown[] {
  const limits = RateLimits.parse(ofProject)
  const unknown = Object.keys(namespaces).filter((name) => !limits.some((limit) => limit.name === name))
  if (unknown.length > 0)
    throw new Error(`rate_limit_namespaces names what wrangler.toml does not have: ${unknown.join(', ')}`)
  return limits.map((limit) => ({ ...limit, namespace_id: namespaces[limit.name] ?? limit.namespace_id }))
}

/** Writes the configuration for wrangler into a file. Returns its path. */
export function writeConfiguration(settings: Settings, configuration: Configuration): string {
  const folder = folderOf(settings)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'wrangler.json')
  writeFileSync(path, `${JSON.stringify(configuration, null, 2)}\n`)
  return path
}

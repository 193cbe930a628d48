/**
 * Stands in for wrangler 4.155.0 in the tests of `npm run deploy`. It answers as wrangler does: its answers were recorded
 * from wrangler itself, which was pointed at a server that answered for Cloudflare's API. What it knows of the account is in
 * a file, to which it adds each call.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type D1Faults, D1Refused, StandInD1 } from './stand-in-d1.ts'

/** What the stand-in knows of a Cloudflare account. */
export interface Account {
  /** Whether somebody is logged in. */
  isLoggedIn: boolean
  databases: {
    uuid: string
    name: string
    jurisdiction: string | null
    location: string | null
    read_replication?: { mode: string }
  }[]
  /** Why read replication stays as it is: the login may only read, the API answers 500, or it takes a change without effect. */
  replicationFails: 'forbidden' | 'broken' | 'ignored' | null
  /** The statuses with which the API refuses the next queries. */
  queryFaults: number[]
  /** The names of the migrations of each database, by its id. */
  applied: Record<string, string[]>
  d1: D1Faults
  bucket: string | null
  /** The jurisdiction that the bucket is in. */
  bucketIn: string | null
  /** The bucket's location, as R2 tells it. */
  bucketAt: string
  queues: string[]
  /** The names of its other Workers. */
  workers: string[]
  cors: Cors | null
  /** The rules as wrangler lists them. */
  lifecycle: string[]
  /** null: the Worker does not exist. */
  secrets: string[] | null
  /** Where the Worker answers once it is deployed. */
  target: string
  /** The variables of the version that serves, with its id; null: nothing has been deployed. */
  serving: { id: string; variables: Record<string, string>; objects?: string[] } | null
  /** The domains of all Workers, the zones, and their DNS records, as Cloudflare's API tells them. */
  domains: { id: string; hostname: string; service: string }[]
  zones: { id: string; name: string; status: string }[]
  records: { zone: string; type: string; name: string; content: string }[]
  /** The routes of the zones. */
  routes: { zone: string; pattern: string; script?: string }[]
  /** Whether whoever is logged in may read DNS records. */
  mayReadRecords: boolean
  /** What fails after the code has been uploaded. */
  triggersFail: string | null
  /** Whether the network is gone from the upload of the code on. */
  isLostAfterUpload: boolean
  /** What to fail with, by the beginning of a call. */
  fails: Record<string, string>
  calls: { call: string; input: string }[]
}

interface Cors {
  rules: { allowed: Record<string, string[]>; exposeHeaders: string[]; maxAgeSeconds: number }[]
}

interface Configuration {
  name: string
  vars: Record<string, string>
  routes?: { pattern: string }[]
  d1_databases: { binding: string; database_id: string; migrations_dir: string }[]
}

/** An account without anything in it, whose Worker will answer at `target`. */
export function emptyAccount(target: string): Account {
  return {
    isLoggedIn: true,
    databases: [],
    replicationFails: null,
    queryFaults: [],
    applied: {},
    d1: {},
    bucket: null,
    bucketIn: null,
    bucketAt: 'WEUR',
    serving: null,
    domains: [],
    zones: [],
    records: [],
    routes: [],
    mayReadRecords: true,
    triggersFail: null,
    isLostAfterUpload: false,
    queues: [],
    workers: [],
    cors: null,
    lifecycle: [],
    secrets: null,
    target,
    fails: {},
    calls: [],
  }
}

/** What the names of the Workers begin with that tests deploy. */
export const DEPLOYED = 'deploy-test-'

/** The token of whoever is logged in. */
export const API_TOKEN = 'a-token-of-the-api'

/** The id of the account. */
export const ACCOUNT = 'a'.repeat(32)

export function accountIn(file: string): Account {
  return JSON.parse(readFileSync(file, 'utf8'))
}

class Refused extends Error {}

/** What wrangler prints when Cloudflare's API refuses. */
const apiError = (path: string, message: string, code: number) =>
  new Refused(
    `✘ [ERROR] A request to the Cloudflare API (/accounts/${ACCOUNT}${path}) failed.\n\n  ${message} [code: ${code}]\n`,
  )

/** A call of wrangler. */
export interface Call {
  args: string[]
  /** What came through its standard input. */
  input: string
  /** The file that a deployment is to be reported to, or ''. */
  report: string
}

/** The exit code of a call, and what it prints: on the standard output when it succeeds, or else on that of errors. */
export function answer(file: string, { args, input, report }: Call): { code: 0 | 1; text: string } {
  const account = accountIn(file)
  const { values, positionals } = parseArgs({
    args,
    strict: false,
    allowPositionals: true,
    options: Object.fromEntries(OPTIONS.map((name) => [name, { type: 'string' as const }])),
  })
  const call = args.join(' ')
  account.calls.push({ call, input })
  try {
    for (const [beginning, reason] of Object.entries(account.fails))
      if (call.startsWith(beginning)) throw new Refused(`✘ [ERROR] ${reason}\n`)
    if (!account.isLoggedIn && !call.startsWith('deploy --dry-run')) refuseWithoutLogin(call)
    const text = printed(file, account, positionals, values, { input, report })
    writeFileSync(file, JSON.stringify(account))
    return { code: 0, text }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    writeFileSync(file, JSON.stringify(account))
    return { code: 1, text: error.message }
  }
}

function refuseWithoutLogin(call: string): never {
  if (call === 'whoami --json') throw new Refused('{"loggedIn":false}')
  throw new Refused(
    "✘ [ERROR] In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN environment variable for wrangler to work.",
  )
}

/** The options that have a value. */
const OPTIONS = [
  ...['config', 'file', 'metafile', 'outdir', 'command', 'name', 'format', 'expire-days'],
  ...['jurisdiction', 'location', 'secrets-file', 'durable-objects-code-update-mode'],
]

type Values = ReturnType<typeof parseArgs>['values']

function printed(
  file: string,
  account: Account,
  positionals: string[],
  values: Values,
  { input, report }: Omit<Call, 'args'>,
): string {
  const [command = '', verb = '', third = '', fourth = ''] = positionals
  switch (`${command} ${verb}`.trim()) {
    case 'whoami':
      return JSON.stringify({ loggedIn: true, accounts: [{ id: ACCOUNT, name: 'Studio' }] }, null, 4)
    case 'd1 list':
      return JSON.stringify(account.databases, null, 2)
    case 'd1 create':
      account.databases.push({
        ...databaseOf(third),
        jurisdiction: optional(values.jurisdiction),
        location: optional(values.location),
      })
      return `✅ Successfully created DB '${third}' in region WEUR\nCreated your new D1 database.\n`
    case 'd1 execute':
      return execute(file, account, configured(values, third).database_id, values)
    case 'd1 migrations':
      return migrate(file, account, configured(values, fourth))
    case 'r2 bucket':
      return bucket(account, third, positionals.slice(3), values)
    case 'queues info':
    case 'queues create':
      return queue(account, verb, third)
    case 'secret list':
      if (account.workers.includes(String(values.name))) return '[]'
      if (account.secrets === null || !String(values.name).startsWith(DEPLOYED))
        throw new Refused('✘ [ERROR] Worker "any" not found.\n')
      return JSON.stringify(
        account.secrets.map((name) => ({ name, type: 'secret_text' })),
        null,
        2,
      )
    case 'deploy':
      return deploy(account, values, { input, report })
    case 'auth token':
      return JSON.stringify({ type: 'api_token', token: API_TOKEN })
    case 'deployments status':
      if (account.secrets === null && account.serving === null)
        throw apiError(
          `/workers/scripts/${values.name}/deployments`,
          'This Worker does not exist on your account.',
          10007,
        )
      if (account.serving === null)
        throw new Refused(`✘ [ERROR] The Worker ${values.name} has no deployments.\n`)
      return JSON.stringify({ versions: [{ version_id: account.serving.id, percentage: 100 }] }, null, 2)
    case 'versions view':
      return JSON.stringify(versionOf(account), null, 2)
    default:
      throw new Error(`The stand-in has no answer to: ${positionals.join(' ')}`)
  }
}

/** A database as D1 lists it. */
export function databaseOf(name: string, place: { jurisdiction?: string; location?: string } = {}) {
  const { jurisdiction = null, location = null } = place
  return { uuid: crypto.randomUUID(), name, jurisdiction, location }
}

const optional = (value: unknown) => (typeof value === 'string' ? value : null)

function versionOf({ serving }: Account): object {
  const variables = Object.entries(serving?.variables ?? {})
  const objects = (serving?.objects ?? ['INBOX', 'SAVES']).map((name) => ({
    type: 'durable_object_namespace',
    name,
  }))
  const texts = variables.map(([name, text]) => ({ type: 'plain_text', name, text }))
  return { id: serving?.id, resources: { bindings: [...objects, ...texts] } }
}

function configured({ config }: Values, binding: string) {
  const { d1_databases }: Configuration = JSON.parse(readFileSync(String(config), 'utf8'))
  const database = d1_databases.find((one) => one.binding === binding)
  if (!database) throw new Refused(`✘ [ERROR] Couldn't find a D1 DB with the name or binding '${binding}'`)
  return database
}

function execute(accountFile: string, account: Account, id: string, { file, command, json }: Values): string {
  const path = `/d1/database/${id}/${file === undefined ? 'query' : 'import'}`
  const database = new StandInD1(accountFile, id, account.d1)
  try {
    if (file !== undefined) {
      database.importFile(String(file))
      return '🚣 Executed 9 queries in 1.00ms (9 rows read, 9 rows written)'
    }
    const answers = database.query(String(command))
    return JSON.stringify(answers.map((results) => ({ results, success: true, meta: {} })))
  } catch (error) {
    if (!(error instanceof D1Refused)) throw error
    if (!json) throw apiError(path, error.message, 7500)
    const notes = [{ text: `${error.message} [code: 7500]` }]
    throw new Refused(JSON.stringify({ error: { text: 'A request failed.', notes, code: 7500 } }, null, 2))
  } finally {
    database.close()
  }
}

function migrate(
  file: string,
  account: Account,
  { database_id, migrations_dir }: ReturnType<typeof configured>,
): string {
  const database = new StandInD1(file, database_id, account.d1)
  try {
    database.migrate(migrations_dir)
    return 'Migrations to be applied:'
  } catch (error) {
    if (!(error instanceof D1Refused)) throw error
    throw apiError(`/d1/database/${database_id}/query`, error.message, 7500)
  } finally {
    account.applied[database_id] = database.applied()
    database.close()
  }
}

function bucket(account: Account, verb: string, names: string[], { file, ...values }: Values): string {
  const [, , rule, prefix] = names
  const name = (names[0] === 'add' ? names[1] : names.at(-1)) ?? ''
  if (verb === 'create') {
    account.bucket = name
    account.bucketIn = optional(values.jurisdiction)
    account.lifecycle = [LIFECYCLE]
    return `✅ Created bucket '${name}' with default storage class of Standard.`
  }
  if (values.jurisdiction === 'fedramp' && account.bucketIn !== 'fedramp')
    throw apiError(
      `/r2/buckets/${name}/lifecycle`,
      'The jurisdiction is not available to this account.',
      10042,
    )
  if (account.bucket !== name || account.bucketIn !== optional(values.jurisdiction))
    throw apiError(`/r2/buckets/${name}/lifecycle`, 'The specified bucket does not exist.', 10006)
  switch (`${verb} ${names[0]}`) {
    case 'lifecycle list':
      return `Listing lifecycle rules for bucket '${name}'...\n${account.lifecycle.join('\n\n') || `There are no lifecycle rules for bucket '${name}'.`}`
    case 'lifecycle add':
      account.lifecycle.push(
        `name:     ${rule}\nenabled:  Yes\nprefix:   ${prefix}\naction:   Expire objects after ${values['expire-days']} days`,
      )
      return `✨ Added lifecycle rule '${rule}' to bucket '${name}'.`
    case 'cors list':
      if (account.cors === null)
        throw apiError(`/r2/buckets/${name}/cors`, 'The CORS configuration does not exist.', 10059)
      return `Listing CORS rules for bucket '${name}'...\n${corsTable(account.cors)}`
    case 'cors set':
      account.cors = JSON.parse(readFileSync(String(file), 'utf8'))
      return `✨ Set CORS configuration for bucket '${name}'.`
    default:
      throw new Error(`The stand-in has no answer to: r2 bucket ${verb} ${names.join(' ')}`)
  }
}

function queue(account: Account, verb: string, name: string): string {
  const isThere = account.queues.includes(name)
  if (verb === 'create' && isThere)
    throw apiError(
      '/queues',
      `Queue name '${name}' is already taken. Please use a different name and try again.`,
      11009,
    )
  if (verb === 'create') {
    account.queues.push(name)
    return `🌀 Creating queue '${name}'\n✅ Created queue '${name}'\n\nConfigure your Worker to send messages to this queue:`
  }
  if (!isThere)
    throw new Refused(
      `✘ [ERROR] Queue "${name}" does not exist. To create it, run: wrangler queues create ${name}\n`,
    )
  return `Queue Name: ${name}\nQueue ID: ${'q'.repeat(32)}\nNumber of Producers: 0\nNumber of Consumers: 0`
}

const LIFECYCLE = `name:     Default Multipart Abort Rule
enabled:  Yes
prefix:   (all prefixes)
action:   Abort incomplete multipart uploads after 7 days`

function corsTable({ rules }: Cors): string {
  const tables = rules.map(({ allowed, exposeHeaders, maxAgeSeconds }) =>
    [
      `allowed_origins:  ${allowed.origins?.join(', ')}`,
      `allowed_methods:  ${allowed.methods?.join(', ')}`,
      `allowed_headers:  ${allowed.headers?.join(', ')}`,
      `exposed_headers:  ${exposeHeaders.join(', ')}`,
      `max_age_seconds:  ${maxAgeSeconds}`,
    ].join('\n'),
  )
  return tables.join('\n\n')
}

function deploy(account: Account, values: Values, { input, report }: Omit<Call, 'args'>): string {
  if (values['dry-run']) {
    writeFileSync(String(values.metafile), JSON.stringify({ inputs: { 'src/index.ts': {} } }))
    return '--dry-run: exiting now.'
  }
  const { name, vars, routes = [] }: Configuration = JSON.parse(readFileSync(String(values.config), 'utf8'))
  const id = `version-${Number(account.serving?.id.split('-')[1] ?? 0) + 1}`
  account.serving = { id, variables: vars }
  const given: object = values['secrets-file'] === '/dev/stdin' ? JSON.parse(input) : {}
  account.secrets = [...(account.secrets ?? []), ...Object.keys(given)]
  if (account.isLostAfterUpload) {
    account.fails['deployments status'] = 'getaddrinfo EAI_AGAIN api.cloudflare.com'
    throw new Refused('✘ [ERROR] fetch failed\n')
  }
  if (account.triggersFail !== null)
    throw new Refused(
      `✘ [ERROR] Trigger configuration for "${name}" was only partially updated:\n\n  Custom domains:\n    - ${account.triggersFail}\n\n  Successful trigger changes were not rolled back.\n`,
    )
  // Without a terminal, wrangler takes what it wants, and its list is the whole one.
  if (routes.length > 0)
    account.domains = [
      ...account.domains.filter(
        ({ hostname, service }) => service !== name && !routes.some(({ pattern }) => pattern === hostname),
      ),
      ...routes.map(({ pattern }) => ({ id: pattern, hostname: pattern, service: name })),
    ]
  const custom = routes.map(({ pattern }) => `${pattern} (custom domain)`)
  const targets = [account.target, ...custom, 'schedule: */5 * * * *', 'Producer for EVENTS']
  const line = { type: 'deploy', version: 1, version_id: id, targets }
  if (report) writeFileSync(report, `${JSON.stringify(line)}\n`)
  return 'Total Upload: 900.00 KiB / gzip: 230.00 KiB\nWorker Startup Time: 21 ms\nUploaded'
}

import { z } from 'zod'
import { fileTypes, gameAssetTypes } from './db/enumerations.ts'
import { developmentProblems, isPublicName } from './development.ts'
import type { Message } from './events/message.ts'
import { eventTypeNames } from './events/names.ts'
import { GIB, MIB } from './lib/byte-units.ts'
import { integer } from './lib/integer.ts'
import { DEFAULT_TIMEOUT_MS } from './lib/timeout.ts'
import type { InboxMethods } from './notifications/rpc.ts'
import { databasesOf, ranges } from './shards.ts'

/** The platform's rate limits for each user, with the figures of wrangler.toml. A deployment may omit them. */
export interface RateLimits {
  REQUEST_LIMIT?: RateLimit
  WRITE_LIMIT?: RateLimit
  /** For the studio's services, which have a scope in their tokens. */
  SERVICE_REQUEST_LIMIT?: RateLimit
  SERVICE_WRITE_LIMIT?: RateLimit
}

const rateLimits = ['REQUEST_LIMIT', 'WRITE_LIMIT', 'SERVICE_REQUEST_LIMIT', 'SERVICE_WRITE_LIMIT'] as const

/** The methods of the janitor (`jobs/janitor.ts`), named here so that this file does not import the class. */
interface JanitorMethods extends Rpc.DurableObjectBranded {
  /** Runs the job of a database, named by its binding. Returns the names of the tasks that failed. */
  wake(database: string): Promise<{ failed?: string[] }>
}

/** The bindings of wrangler.toml. Variables and secrets are members too, as strings: see `configuration`. */
export interface Env extends RateLimits {
  /** The first database. Further ones are bound as DB_1, DB_2, … (docs/scaling.md): `databasesOf` finds them. */
  DB: D1Database
  BUCKET: R2Bucket
  INBOX: DurableObjectNamespace<InboxMethods>
  JANITOR: DurableObjectNamespace<JanitorMethods>
  /** Takes the figures of requests (docs/observing.md). A deployment may omit it. */
  METRICS?: AnalyticsEngineDataset
  /** Wakes what delivers events (docs/events.md). Needed with WEBHOOK_URL. */
  EVENTS?: Queue<Message>
  /** The studio's Worker that checks content (docs/content-check.md). Not beside CONTENT_CHECK_URL. */
  CONTENT_CHECK?: Fetcher
  /** The static pages (out/pages). Tests have none. */
  ASSETS?: Fetcher
}

/** R2's limit for one PUT, and for one part. */
const LARGEST_PUT = 5 * GIB - 5 * MIB

/** A whole number from `min` to `max`; `standard` when the variable is not set. */
const integerVariable = (description: string, standard: number, min: number, max?: number) =>
  integer(min, max ?? Number.MAX_SAFE_INTEGER)
    .default(standard)
    .meta({ description, minimum: min, ...(max !== undefined && { maximum: max }) })

/** An https:// address, so that traffic is encrypted. http:// is allowed for this machine, in development only. */
const httpsUrl = z.url('must be an https:// address').refine((url) => {
  if (!URL.canParse(url)) return true // z.url reports it
  const { protocol, hostname } = new URL(url)
  return (
    protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  )
}, 'must be an https:// address')

/** The secret of a webhook as Standard Webhooks has it: 24 to 64 bytes in base64. */
const SECRET =
  /^whsec_(?=(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$)[A-Za-z0-9+/]{32,86}={0,2}$/

/** One such secret, or two with a space between them. */
const secrets = z
  .string()
  .refine(
    (list) => list.split(' ').length <= 2 && list.split(' ').every((secret) => SECRET.test(secret)),
    'must be whsec_ with 24 to 64 bytes in base64, or two of these with a space between them',
  )
  .transform((list) => list.split(' '))

/** The address of a server of the studio's. */
const receiverUrl = httpsUrl.refine((url) => {
  if (!URL.canParse(url)) return true // z.url reports it
  const { username, password } = new URL(url)
  return username === '' && password === ''
}, 'must not hold a name or a password')

/** The kinds of content, or patterns of its type: `image/*`, `application/zip`. */
const checkedKind = z.union(
  [
    z.enum([...fileTypes, ...gameAssetTypes]),
    z.string().regex(/^[a-z0-9!#$&^_.+-]+\/([a-z0-9!#$&^_.+-]+|\*)$/),
  ],
  `must be a list of ${[...fileTypes, ...gameAssetTypes].join(', ')}, or MIME types like image/png and image/*`,
)

const algorithms = ['RS256', 'ES256', 'EdDSA'] as const

/** Every variable. docs/configuration.md is generated from it. */
export const Variables = z.object({
  JWT_SECRET: z
    .string()
    .refine((secret) => new TextEncoder().encode(secret).length >= 32, 'must be at least 32 bytes long')
    .optional()
    .describe(
      'The secret that tokens are signed with (HS256), at least 32 bytes. Set either this or `JWKS_URL`.',
    ),
  JWKS_URL: httpsUrl
    .optional()
    .describe(
      'The https:// address of the login’s public keys; in development also `http://localhost`. While it is unreachable, the last keys are used for 6 hours.',
    ),
  JWT_ISSUER: z
    .string()
    .min(1)
    .optional()
    .describe('The required `iss` of tokens. Required with `JWKS_URL`; checked with `JWT_SECRET` when set.'),
  JWT_AUDIENCE: z
    .string()
    .min(1)
    .optional()
    .describe('The required `aud` of tokens. Required with `JWKS_URL`; checked with `JWT_SECRET` when set.'),
  JWT_ALGORITHMS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(algorithms, `must be a list of ${algorithms.join(', ')}`)))
    .default([...algorithms])
    .describe('The algorithms that tokens may use with `JWKS_URL`, separated by commas.'),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .default(['*'])
    .describe('The web origins that may call the API, separated by commas.'),
  S3_ENDPOINT: z
    .union([z.literal('local'), httpsUrl], 'must be the https:// address of your R2 account')
    .describe(
      '`https://ACCOUNT_ID.r2.cloudflarestorage.com`. In development `local`: the bucket of the development server.',
    ),
  S3_BUCKET: z
    .string()
    .min(1)
    .default('edge-game-storage')
    .describe('The name of the bucket, the same as `bucket_name` in `wrangler.toml`.'),
  S3_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .describe('The id of an R2 API token that reads and writes the objects of this bucket.'),
  S3_SECRET_ACCESS_KEY: z.string().min(1).describe('The secret of the same R2 API token.'),
  DOWNLOAD_URL_TTL: integerVariable('How long a download URL is valid, in seconds.', 900, 1, 604_800),
  UPLOAD_URL_TTL: integerVariable(
    'How long a signed upload URL is valid, in seconds. It never outlives its upload.',
    3_600,
    1,
    604_800,
  ),
  // R2 deletes an incomplete multipart upload after seven days.
  UPLOAD_TTL: integerVariable(
    'How long an upload may take, in seconds. R2 keeps parts for seven days.',
    86_400,
    1,
    604_800,
  ),
  MULTIPART_THRESHOLD: integerVariable(
    'Content of more bytes is sent in parts. One PUT to R2 takes 5 GiB − 5 MiB.',
    100 * MIB,
    0,
    LARGEST_PUT,
  ),
  PART_SIZE: integerVariable(
    'The length of each part except the last, in bytes.',
    16 * MIB,
    5 * MIB,
    LARGEST_PUT,
  ),
  REQUIRE_CHECKSUM: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((answer) => answer === 'true')
    .default(false)
    .describe('`true`: an upload of one PUT must declare `checksum_sha256`.'),
  DEFAULT_QUOTA_BYTES: integerVariable(
    'How many bytes a user may store, unless they have a limit of their own.',
    5 * GIB,
    0,
  ),
  MAX_ITEMS: integerVariable('Items of a user, those in the trash included.', 100_000, 0),
  MAX_FOLDER_DEPTH: integerVariable('Folders above an item.', 100, 1, 1_000),
  // Their ids are bound as one value, which D1 limits to 2 MB.
  MAX_FOLDERS_MOVED: integerVariable(
    'Folders that a folder may hold, at any depth, to be moved deeper than it is.',
    10_000,
    0,
    20_000,
  ),
  MAX_SHARES_PER_FILE: integerVariable('Shares of a file that have not expired.', 500, 0),
  MAX_SHARES_PER_GRANTEE: integerVariable(
    'Shares of an owner with one user. An expired one counts until the job has run.',
    1_000,
    0,
    10_000,
  ),
  MAX_OPEN_UPLOADS: integerVariable(
    'Open uploads of a user. An aborted or failed one counts until its URLs have expired.',
    1_000,
    0,
  ),
  MAX_ENDED_UPLOADS: integerVariable(
    'Completed and failed uploads of a user that are kept, until a day after their `expires_at`.',
    10_000,
    0,
  ),
  MAX_ASSETS: integerVariable(
    'Game assets of a user, deleted ones included until they are purged.',
    10_000,
    0,
  ),
  MAX_PUBLIC_ASSETS: integerVariable(
    'Public game assets of a user, blocked ones included, deleted ones not.',
    1_000,
    0,
  ),
  MAX_VERSIONS_PER_ASSET: integerVariable('Versions of a game asset.', 10_000, 0),
  MAX_VERSIONS: integerVariable(
    'Versions of all game assets of a user together, those of deleted ones included.',
    100_000,
    0,
  ),
  MAX_IDEMPOTENCY_KEYS: integerVariable('Idempotency keys of a user that are kept, for 24 hours.', 10_000, 0),
  MAX_NOTIFICATIONS: integerVariable(
    'Notifications of a user. With one more, the oldest is removed.',
    10_000,
    1,
  ),
  NOTIFICATION_RETENTION_DAYS: integerVariable('How long notifications are kept, in days.', 90, 1, 3_650),
  TRASH_RETENTION_DAYS: integerVariable(
    'How long deleted items and game assets are kept, in days. 0: until the job runs.',
    30,
    0,
    3_650,
  ),
  CONTENT_GRACE_DAYS: integerVariable(
    'How long the content of what was deleted permanently stays in the bucket, in days, for [going back](going-back.md).',
    0,
    0,
    365,
  ),
  RATE_LIMITS: z
    .enum(['on', 'off'], 'must be "on" or "off"')
    .optional()
    .describe(
      'Whether the requests and writes of each user are limited. When not set: `on`, and `off` in development.',
    ),
  SHARDS: ranges
    .default([])
    .describe(
      'Which database has which users, as ranges of buckets: `000-7ff:DB,800-fff:DB_1`. When not set: all are in `DB`. See [scaling](scaling.md).',
    ),
  CALL_TIMEOUT_MS: integerVariable(
    'How long D1, R2 or an inbox may take to answer a call, in milliseconds. Then the answer is 503.',
    DEFAULT_TIMEOUT_MS,
    1,
    300_000,
  ),
  // D1 allows an invocation 1,000 queries (50 on the free plan), and the platform so many calls.
  JOB_QUERIES: integerVariable(
    'D1 queries that one run of the job sends at most. D1 allows 1,000, and 50 on the free plan.',
    800,
    40,
    100_000,
  ),
  JOB_CALLS: integerVariable(
    'Calls to R2 and to inboxes that one run of the job makes at most.',
    800,
    40,
    100_000,
  ),
  WEBHOOK_URL: receiverUrl
    .optional()
    .describe(
      'The https:// address that events are sent to; in development also `http://localhost`. When not set: there are no events. See [events](events.md).',
    ),
  WEBHOOK_SECRET: secrets
    .optional()
    .describe(
      'What events are signed with: `whsec_` and 24 to 64 bytes in base64. Two, with a space between them, sign each event twice, while the secret is being changed. Required with `WEBHOOK_URL`.',
    ),
  WEBHOOK_EVENTS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(eventTypeNames, 'must be a list of the types in docs/events.md')))
    .optional()
    .describe('The types of events that are sent, separated by commas. When not set: all.'),
  CONTENT_CHECK_URL: receiverUrl
    .optional()
    .describe(
      'The https:// address that is asked to check content before it is ready; in development also `http://localhost`. Or a Worker is bound as `CONTENT_CHECK`, not both. With neither, nothing is checked. See [the check of content](content-check.md).',
    ),
  CONTENT_CHECK_SECRET: secrets
    .optional()
    .describe(
      'What these requests are signed with, like `WEBHOOK_SECRET`. Required with `CONTENT_CHECK_URL`.',
    ),
  CONTENT_CHECK_KINDS: z
    .string()
    .transform((list) => list.split(',').map((kind) => kind.trim()))
    .pipe(z.array(checkedKind))
    .optional()
    .describe(
      `The content that is checked, separated by commas: ${[...fileTypes, ...gameAssetTypes].map((kind) => `\`${kind}\``).join(', ')}, and types like \`image/*\`. When not set: all.`,
    ),
  CONSOLE: z
    .literal('on', 'must be "on", or not set')
    .optional()
    .describe(
      '`on`: serves the console at `/console/`, for those who have a token. Always on in development.',
    ),
  DEVELOPMENT: z
    .literal('on', 'must be "on", or not set')
    .optional()
    .describe('`on` in `.dev.vars` only: permits the values of development.'),
})

/** The configuration, with a member for each variable. */
export type Config = z.output<typeof Variables>

/** Either the configuration, or its problems: a line for each variable, which starts with its name. */
export type Configuration = { config: Config; problems?: never } | { config?: never; problems: string[] }

const parsed = new WeakMap<Env, Configuration>()

/** Parses the variables, once in an isolate. An empty variable counts as not set. */
export function configuration(env: Env): Configuration {
  const known = parsed.get(env)
  if (known) return known
  const answer = withQueue(env, parseVariables({ ...env }, Object.keys(databasesOf(env))))
  parsed.set(env, answer)
  if (answer.config) reportMissingLimits(env, answer.config)
  return answer
}

/**
 * Parses variables for a service with these databases.
 *
 * @public scripts/deploy/variables.ts imports this file by its path.
 */
export function parseVariables(
  values: Readonly<Record<string, unknown>>,
  databases: readonly string[],
): Configuration {
  const set: Record<string, unknown> = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== '' && value !== undefined),
  )
  const result = Variables.safeParse(set)
  const others = [
    ...keyProblems(set),
    ...(set.DEVELOPMENT ? [] : developmentProblems(set)),
    ...shardProblems(databases, result.data ?? {}),
    ...receiverProblems(set, 'WEBHOOK_URL', 'WEBHOOK_SECRET'),
    ...receiverProblems(set, 'CONTENT_CHECK_URL', 'CONTENT_CHECK_SECRET'),
  ]
  if (result.success && others.length === 0) return { config: result.data }
  return { problems: [...(result.error?.issues ?? []).map((issue) => problemOf(issue, set)), ...others] }
}

/** Whether requests are counted. The default is yes, and no in development. */
export function areRateLimitsOn({ RATE_LIMITS, DEVELOPMENT }: Config): boolean {
  return RATE_LIMITS === undefined ? DEVELOPMENT === undefined : RATE_LIMITS === 'on'
}

function reportMissingLimits(env: Env, config: Config): void {
  const missing = rateLimits.filter((name) => !env[name])
  if (missing.length > 0 && areRateLimitsOn(config))
    console.warn(JSON.stringify({ message: 'no rate limits: bindings are missing', bindings: missing }))
}

type Variable = keyof z.input<typeof Variables>

function problemOf(issue: z.core.$ZodIssue, set: Record<string, unknown>): string {
  const variable = String(issue.path[0])
  return `${variable} ${variable in set ? issue.message : 'is missing'}`
}

/** Every database that `SHARDS` names has to be bound. */
function shardProblems(databases: readonly string[], { SHARDS = [] }: Partial<Config>): string[] {
  const names = new Set(SHARDS.map(({ database }) => database))
  return [...names]
    .filter((name) => !databases.includes(name))
    .map((name) => `SHARDS names ${name}, and no database is bound as ${name}`)
}

/** The address of a receiver needs a secret; outside development, also a host that anybody can reach. */
function receiverProblems(
  set: Partial<Record<Variable, unknown>>,
  address: 'WEBHOOK_URL' | 'CONTENT_CHECK_URL',
  secret: 'WEBHOOK_SECRET' | 'CONTENT_CHECK_SECRET',
): string[] {
  const url = set[address]
  if (typeof url !== 'string' || !URL.canParse(url)) return []
  const isReachable = set.DEVELOPMENT || isPublicName(new URL(url).hostname)
  return [
    ...(set[secret] ? [] : [`${secret} is missing: ${address} needs it`]),
    ...(isReachable ? [] : [`${address} must have the name of a host in the public internet`]),
  ]
}

/** What is sent through the queue needs the queue. */
function withQueue({ EVENTS, CONTENT_CHECK }: Env, answer: Configuration): Configuration {
  const { WEBHOOK_URL, CONTENT_CHECK_URL } = answer.config ?? {}
  const problems = [
    ...(CONTENT_CHECK && CONTENT_CHECK_URL
      ? ['CONTENT_CHECK_URL is set, and a Worker is bound as CONTENT_CHECK']
      : []),
    ...Object.entries({ WEBHOOK_URL, CONTENT_CHECK_URL, CONTENT_CHECK })
      .filter(([, value]) => value && !EVENTS)
      .map(([name]) => `${name} needs the queue EVENTS, which is not bound`),
  ]
  return answer.config && problems.length > 0 ? { problems } : answer
}

/** Exactly one of JWT_SECRET and JWKS_URL must be set. JWKS_URL also requires issuer and audience. */
function keyProblems(set: Partial<Record<Variable, unknown>>): string[] {
  if (set.JWT_SECRET && set.JWKS_URL) return ['JWKS_URL and JWT_SECRET are both set; set only one of them']
  if (!set.JWKS_URL) return set.JWT_SECRET ? [] : ['JWT_SECRET (or JWKS_URL) is missing']
  const needed = ['JWT_ISSUER', 'JWT_AUDIENCE'] as const
  return needed
    .filter((variable) => !set[variable])
    .map((variable) => `${variable} is missing: JWKS_URL needs it`)
}

import { z } from '@hono/zod-openapi'
import { developmentProblems } from './development.ts'
import type { Janitor } from './jobs/janitor.ts'
import { integer } from './lib/integer.ts'
import { DEFAULT_TIMEOUT_MS } from './lib/timeout.ts'
import type { Inbox } from './notifications/inbox.ts'

/** The platform's rate limits, for each user. wrangler.toml has the figures; a deployment may do without. */
export interface RateLimits {
  REQUEST_LIMIT?: RateLimit
  WRITE_LIMIT?: RateLimit
  /** Those of the studio's own services, by the scopes of their tokens. */
  SERVICE_REQUEST_LIMIT?: RateLimit
  SERVICE_WRITE_LIMIT?: RateLimit
}

const rateLimits = ['REQUEST_LIMIT', 'WRITE_LIMIT', 'SERVICE_REQUEST_LIMIT', 'SERVICE_WRITE_LIMIT'] as const

/** What wrangler.toml binds. Variables and secrets arrive beside it, as plain strings: see `configuration`. */
export interface Env extends RateLimits {
  DB: D1Database
  BUCKET: R2Bucket
  INBOX: DurableObjectNamespace<Inbox>
  JANITOR: DurableObjectNamespace<Janitor>
}

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** R2 takes at most this much in one PUT, as one part, too. */
const LARGEST_PUT = 5 * GIB - 5 * MIB

/** A whole number from `min` to `max`; `standard` when the variable is not set. */
const integerVariable = (standard: number, min: number, max = Number.MAX_SAFE_INTEGER) =>
  integer(min, max).default(standard)

/** What is fetched or signed must not be readable on the way; this machine alone may do without. */
const httpsUrl = z.url('must be an https:// address').refine((url) => {
  if (!URL.canParse(url)) return true // said already
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1'].includes(hostname))
}, 'must be an https:// address')

const algorithms = ['RS256', 'ES256', 'EdDSA'] as const

const Variables = z.object({
  DEVELOPMENT: z.literal('on', 'must be "on", or not set').optional(),
  JWT_SECRET: z
    .string()
    .refine((secret) => new TextEncoder().encode(secret).length >= 32, 'must be at least 32 bytes long')
    .optional(),
  JWKS_URL: httpsUrl.optional(),
  JWT_ISSUER: z.string().min(1).optional(),
  JWT_AUDIENCE: z.string().min(1).optional(),
  JWT_ALGORITHMS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(algorithms, `must be a list of ${algorithms.join(', ')}`)))
    .default([...algorithms]),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .default(['*']),
  RATE_LIMITS: z.enum(['on', 'off'], 'must be "on" or "off"').optional(),
  S3_ENDPOINT: z.union([z.literal('local'), httpsUrl], 'must be the https:// address of your R2 account'),
  S3_BUCKET: z.string().min(1).default('edge-game-storage'),
  S3_ACCESS_KEY_ID: z.string().min(1),
  S3_SECRET_ACCESS_KEY: z.string().min(1),
  DOWNLOAD_URL_TTL: integerVariable(900, 1, 604_800),
  UPLOAD_URL_TTL: integerVariable(3_600, 1, 604_800),
  // R2 drops what has come in parts, and was not joined, after seven days.
  UPLOAD_TTL: integerVariable(86_400, 1, 604_800),
  MULTIPART_THRESHOLD: integerVariable(100 * MIB, 0, LARGEST_PUT),
  PART_SIZE: integerVariable(16 * MIB, 5 * MIB, LARGEST_PUT),
  REQUIRE_CHECKSUM: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((answer) => answer === 'true'),
  DEFAULT_QUOTA_BYTES: integerVariable(5 * GIB, 0),
  MAX_ITEMS: integerVariable(100_000, 0),
  MAX_ASSETS: integerVariable(10_000, 0),
  MAX_PUBLIC_ASSETS: integerVariable(1_000, 0),
  MAX_VERSIONS_PER_ASSET: integerVariable(10_000, 0),
  MAX_VERSIONS: integerVariable(100_000, 0),
  MAX_OPEN_UPLOADS: integerVariable(1_000, 0),
  MAX_ENDED_UPLOADS: integerVariable(10_000, 0),
  MAX_IDEMPOTENCY_KEYS: integerVariable(10_000, 0),
  TRASH_RETENTION_DAYS: integerVariable(30, 0, 3_650),
  NOTIFICATION_RETENTION_DAYS: integerVariable(90, 1, 3_650),
  MAX_NOTIFICATIONS: integerVariable(10_000, 1),
  MAX_SHARES_PER_FILE: integerVariable(500, 0),
  MAX_SHARES_PER_GRANTEE: integerVariable(1_000, 0, 10_000),
  MAX_FOLDER_DEPTH: integerVariable(100, 1, 1_000),
  // Their ids go through one value of SQLite, which D1 limits to 2 MB.
  MAX_FOLDERS_MOVED: integerVariable(10_000, 0, 20_000),
  // D1 allows an invocation 1,000 queries (50 on the free plan), and the platform so many calls.
  JOB_QUERIES: integerVariable(800, 40, 100_000),
  JOB_CALLS: integerVariable(800, 40, 100_000),
  CALL_TIMEOUT_MS: integerVariable(DEFAULT_TIMEOUT_MS, 1, 300_000),
})

/** The service's settings, one member a variable of the README's configuration table. */
export type Config = z.output<typeof Variables>

/** Either the settings, or what is wrong with them, a line for each variable and starting with its name. */
export type Configuration = { config: Config; problems?: never } | { config?: never; problems: string[] }

const parsed = new WeakMap<Env, Configuration>()

/** Parses the variables once an isolate. A variable that is empty counts as not set. */
export function configuration(env: Env): Configuration {
  const known = parsed.get(env)
  if (known) return known
  const set: Record<string, unknown> = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== '' && value !== undefined),
  )
  const result = Variables.safeParse(set)
  const others = [...keyProblems(set), ...(set.DEVELOPMENT ? [] : developmentProblems(set))]
  const answer: Configuration =
    result.success && others.length === 0
      ? { config: result.data }
      : { problems: [...(result.error?.issues ?? []).map((issue) => problemOf(issue, set)), ...others] }
  parsed.set(env, answer)
  if (answer.config) reportMissingLimits(env, answer.config)
  return answer
}

/** Whether requests are counted: unless told otherwise they are, but not in development. */
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

/** Tokens are checked by exactly one thing; without any, nobody could be let in, and nobody is. */
function keyProblems(set: Partial<Record<Variable, unknown>>): string[] {
  if (set.JWT_SECRET && set.JWKS_URL)
    return ['JWKS_URL and JWT_SECRET are both set; only one may decide who is let in']
  if (!set.JWKS_URL) return set.JWT_SECRET ? [] : ['JWT_SECRET (or JWKS_URL) is missing']
  const needed = ['JWT_ISSUER', 'JWT_AUDIENCE'] as const
  return needed
    .filter((variable) => !set[variable])
    .map((variable) => `${variable} is missing: JWKS_URL needs it`)
}

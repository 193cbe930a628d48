import type { z } from 'zod'
import { logWarning } from '../lib/log.ts'
import { databasesOf, shardsIn } from '../shards/map.ts'
import { developmentProblems, isPublicName } from './development.ts'
import type { Env } from './env.ts'
import { type Config, Variables } from './variables.ts'

/** Either the configuration, or its problems: a line for each variable, which starts with its name. */
export type Configuration = { config: Config; problems?: never } | { config?: never; problems: string[] }

const parsed = new WeakMap<Env, Configuration>()

/** Parses the variables, once in an isolate. An empty variable counts as not set. */
export function configuration(env: Env): Configuration {
  const known = parsed.get(env)
  if (known) return known
  const answer = checkBindings(env, parseVariables({ ...env }, shardsIn(databasesOf(env))))
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

/** Whether rate limits apply. By default they do, except in development. */
export function areRateLimitsOn({ RATE_LIMITS, DEVELOPMENT }: Config): boolean {
  return RATE_LIMITS === undefined ? DEVELOPMENT === undefined : RATE_LIMITS === 'on'
}

const rateLimits = [
  'REQUEST_LIMIT',
  'WRITE_LIMIT',
  'SERVICE_REQUEST_LIMIT',
  'SERVICE_WRITE_LIMIT',
  'PICTURE_LIMIT',
] as const

function reportMissingLimits(env: Env, config: Config): void {
  const missing = rateLimits.filter((name) => !env[name])
  if (missing.length > 0 && areRateLimitsOn(config))
    logWarning('no rate limits: bindings are missing', { bindings: missing })
}

type Variable = keyof z.input<typeof Variables>

function problemOf(issue: z.core.$ZodIssue, set: Record<string, unknown>): string {
  const variable = String(issue.path[0])
  return `${variable} ${variable in set ? issue.message : 'is missing'}`
}

/** A line for each database that `SHARDS` names and no binding has. */
function shardProblems(databases: readonly string[], { SHARDS = [] }: Partial<Config>): string[] {
  const names = new Set(SHARDS.map(({ database }) => database))
  return [...names]
    .filter((name) => !databases.includes(name))
    .map((name) => `SHARDS names ${name}, and no database is bound as ${name}`)
}

/** The problems of a receiver's address: it needs a secret and, outside development, a host in the public internet. */
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

/**
 * Adds the problems of the bindings: events need the queue EVENTS, a checker needs CHECKS, and there is at most one
 * checker.
 */
function checkBindings({ EVENTS, CHECKS, CONTENT_CHECK }: Env, configuration: Configuration): Configuration {
  const { WEBHOOK_URL, CONTENT_CHECK_URL } = configuration.config ?? {}
  const problems = [
    ...(CONTENT_CHECK && CONTENT_CHECK_URL
      ? ['CONTENT_CHECK_URL is set, and a Worker is bound as CONTENT_CHECK']
      : []),
    ...(WEBHOOK_URL && !EVENTS ? ['WEBHOOK_URL needs the queue EVENTS, which is not bound'] : []),
    ...Object.entries({ CONTENT_CHECK_URL, CONTENT_CHECK })
      .filter(([, value]) => value && !CHECKS)
      .map(([name]) => `${name} needs the queue CHECKS, which is not bound`),
  ]
  return configuration.config && problems.length > 0 ? { problems } : configuration
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

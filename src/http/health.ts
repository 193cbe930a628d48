import { sql } from 'drizzle-orm'
import type { Context } from 'hono'
import type { AppEnv } from '../context.ts'
import type { Database } from '../db/database.ts'
import { Databases } from '../db/databases.ts'
import type { Env } from '../env.ts'
import { ApiError, unavailable } from '../errors.ts'
import { databasesOf } from '../shards.ts'

/** How long the outcome of a check is used again, in milliseconds. Anybody may ask, so it bounds what D1 is asked. */
const REUSE_MS = 5_000

/** The outcome of a check of the database: what is wrong, or nothing. */
interface Check {
  at_ms: number
  problem?: ApiError
}

const lastChecks = new WeakMap<D1Database, Check>()

/**
 * Answers GET /health: 200 when the service is configured and its databases answer with the tables of the migrations.
 *
 * @throws UNAVAILABLE with what is wrong
 */
export async function health(c: Context<AppEnv>): Promise<Response> {
  const { CALL_TIMEOUT_MS, CONSOLE, DEVELOPMENT } = c.var.config
  const last = lastChecks.get(c.env.DB)
  const isRecent = last !== undefined && Date.now() - last.at_ms < REUSE_MS
  const { problem } = isRecent ? last : await check(c.env, CALL_TIMEOUT_MS)
  if (problem) throw problem
  const hasConsole = CONSOLE ?? DEVELOPMENT
  return c.json({
    status: 'ok',
    ...(DEVELOPMENT && { development: true }),
    ...(hasConsole && { console: true }),
  })
}

async function check(env: Env, timeout_ms: number): Promise<Check> {
  const databases = new Databases(databasesOf(env), { timeout_ms })
  const problems = await Promise.all(databases.all().map(problemOf))
  const problem = problems.find((one) => one !== undefined)
  const outcome = { at_ms: Date.now(), ...(problem && { problem }) }
  lastChecks.set(env.DB, outcome)
  return outcome
}

async function problemOf(db: Database): Promise<ApiError | undefined> {
  try {
    await db.read(sql`SELECT bucket FROM usage WHERE user_id = ''`)
    return undefined
  } catch (error) {
    return error instanceof ApiError
      ? error
      : unavailable(`The database ${db.name} has no tables of this service: apply the migrations.`, error)
  }
}

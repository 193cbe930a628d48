import { sql } from 'drizzle-orm'
import type { Context } from 'hono'
import type { AppEnv } from '../context.ts'
import type { Database } from '../db/database.ts'
import { ApiError, unavailable } from '../errors.ts'
import { pooled } from '../lib/pool.ts'
import { Databases } from '../shards/databases.ts'
import { databasesOf } from '../shards/map.ts'
import { reused } from './reused.ts'

/**
 * Answers GET /health: 200 when the service is configured and its databases answer with the tables of the migrations.
 *
 * @throws UNAVAILABLE, whose detail names the problem
 */
export async function health(c: Context<AppEnv>): Promise<Response> {
  const { CONSOLE, DEVELOPMENT } = c.get('config')
  const problem = await problemOfDatabases(c.env, c.get('config'))
  if (problem) throw problem
  const hasConsole = CONSOLE ?? DEVELOPMENT
  return c.json({
    status: 'ok',
    ...(DEVELOPMENT && { development: true }),
    ...(hasConsole && { console: true }),
  })
}

/** The error of a database that does not answer or has no tables; undefined when there is none. */
const problemOfDatabases = reused(async (env, { CALL_TIMEOUT_MS: timeout_ms, DEVELOPMENT }) => {
  const databases = new Databases(databasesOf(env), { timeout_ms })
  const problems = await pooled(databases.names, (name) =>
    problemOf(databases.whole(name), DEVELOPMENT ? 'npm run dev makes them' : 'apply the migrations'),
  )
  return problems.find((one) => one !== undefined)
})

async function problemOf(db: Database, remedy: string): Promise<ApiError | undefined> {
  try {
    await db.read(sql`SELECT partition FROM usage WHERE user_id = ''`)
    return undefined
  } catch (error) {
    return error instanceof ApiError
      ? error
      : unavailable(`The database ${db.name} has no tables of this service: ${remedy}.`, error)
  }
}

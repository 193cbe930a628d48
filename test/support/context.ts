import { env } from 'cloudflare:test'
import { type Configuration, configuration } from '../../src/platform/config/configuration.ts'
import type { Config } from '../../src/platform/config/variables.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { DEFAULT_TIMEOUT_MS } from '../../src/platform/lib/timeout.ts'
import type { Bookmark } from '../../src/platform/shards/bookmark.ts'
import { Databases } from '../../src/platform/shards/databases.ts'
import { type Bindings, databasesOf } from '../../src/platform/shards/map.ts'
import { createSigner } from '../../src/platform/storage/presign.ts'
import { origin } from './service.ts'

/** All databases, some of them with other bindings. */
export function databasesOver(
  different: Bindings = {},
  { bookmark, timeout_ms = DEFAULT_TIMEOUT_MS }: { bookmark?: Bookmark; timeout_ms?: number } = {},
): Databases {
  const { config } = configuration(env)
  return new Databases(
    { ...databasesOf(env), ...different },
    { ranges: config?.SHARDS ?? [], timeout_ms, bookmark },
  )
}

/**
 * The context of a user's request, for tests that call rules directly. Work after the answer is left to the job. `different` and `limits` replace parts
 * of it.
 */
export function contextOf(
  user_id: string,
  different: Partial<RequestContext> = {},
  limits: Partial<Config> = {},
): RequestContext {
  const { config } = configuration(env)
  if (!config) throw new Error('the tests run without a configuration')
  const { databases = databasesOver() } = different
  return {
    db: databases.home(user_id),
    databases,
    bucket: env.BUCKET,
    inboxes: env.INBOX,
    saves: env.SAVES,
    sign: createSigner(config, origin),
    check: undefined,
    ended: [],
    config: { ...config, ...limits },
    user_id,
    hidden_ratings: '',
    request_url: `${origin}/v1`,
    now_ms: Date.now(),
    afterwards: () => {},
    runJobAt: async () => {},
    ...different,
  }
}

/** The configuration of an environment, or its problems. Takes any object, because `Env` excludes missing and invalid variables. */
export function configurationOf(environment: object): Configuration {
  return configuration(Object.assign(Object.create(null), environment))
}

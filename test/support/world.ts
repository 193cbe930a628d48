import { env } from 'cloudflare:test'
import type { RequestContext } from '../../src/context.ts'
import { Database } from '../../src/db/database.ts'
import { type Config, configuration } from '../../src/env.ts'
import { createSigner } from '../../src/storage/presign.ts'
import { origin } from './service.ts'

/** The work of a user's request, for tests that call rules directly: with other limits, at another time, … */
export function workOf(
  user_id: string,
  different: Partial<RequestContext> = {},
  limits: Partial<Config> = {},
): RequestContext {
  const { config } = configuration(env)
  if (!config) throw new Error('the tests run without a configuration')
  return {
    db: new Database(env.DB),
    bucket: env.BUCKET,
    inboxes: env.INBOX,
    sign: createSigner(config, origin),
    config: { ...config, ...limits },
    user_id,
    now_ms: Date.now(),
    ...different,
  }
}

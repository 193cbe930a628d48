import type { Env } from '../config/env.ts'
import type { Config } from '../config/variables.ts'

/** How long an outcome is used again, in milliseconds. Anybody may ask, so it bounds what the parts are asked. */
const REUSE_MS = 5_000

/**
 * The same check, whose outcome serves an isolate for five seconds. A request can't wait for another request's calls, so
 * the outcome is kept and not its promise.
 */
export function reused<Outcome>(
  check: (env: Env, config: Config) => Promise<Outcome>,
): (env: Env, config: Config) => Promise<Outcome> {
  const kept = new WeakMap<Env, { at_ms: number; outcome: Outcome }>()
  return async (env, config) => {
    const last = kept.get(env)
    if (last && Date.now() - last.at_ms < REUSE_MS) return last.outcome
    const outcome = await check(env, config)
    kept.set(env, { at_ms: Date.now(), outcome })
    return outcome
  }
}

import type { Env } from '../config/env.ts'
import type { Config } from '../config/variables.ts'

/** How long an outcome is reused, in milliseconds. It bounds the calls that requests without a token can cause. */
const REUSE_MS = 5_000

/**
 * Wraps a check so that an isolate reuses its outcome for five seconds. The outcome is kept and not its promise, because a
 * request can't wait for another request's calls.
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

import type { RetryOptions } from './options.ts'

/** `RetryOptions` with the defaults filled in. */
export type Backoff = Required<RetryOptions>

const defaults: Backoff = { attempts: 5, minDelayMs: 250, maxDelayMs: 8_000 }

export function backoffOf(options: RetryOptions = {}): Backoff {
  return { ...defaults, ...options }
}

/**
 * Runs `attempt` until it succeeds. `delayOf` returns the delay in milliseconds before the next attempt, or undefined to
 * throw the error.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  delayOf: (error: unknown) => number | undefined,
  signal?: AbortSignal,
): Promise<T> {
  for (;;)
    try {
      if (signal?.aborted) throw abortReason(signal)
      return await attempt()
    } catch (error) {
      const delay = signal?.aborted ? undefined : delayOf(error)
      if (delay === undefined) throw error
      await wait(delay, signal)
    }
}

/** The milliseconds to wait after this many failures; undefined when no attempts are left. */
export function backoffDelay(backoff: Backoff, failures: number): number | undefined {
  return failures < backoff.attempts ? jitteredDelay(backoff, failures) : undefined
}

/**
 * A random delay whose maximum doubles with each failure ("full jitter"): after an outage, clients do not come back at the
 * same moment.
 */
export function jitteredDelay(
  { minDelayMs, maxDelayMs }: Omit<Backoff, 'attempts'>,
  failures: number,
): number {
  return Math.random() * Math.min(maxDelayMs, minDelayMs * 2 ** (failures - 1))
}

/** Resolves after `ms` milliseconds. Rejects with the signal's reason when it is aborted first. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal))
    const abort = () => {
      clearTimeout(timer)
      reject(signal && abortReason(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** The reason of an aborted signal; an AbortError in React Native, whose signals have no reason. */
export function abortReason(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error('This was aborted.'), { name: 'AbortError' })
}

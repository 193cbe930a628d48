import type { RetryOptions } from './options.ts'

/** How often something is tried, and how long the pauses are. */
export type Backoff = Required<RetryOptions>

const defaults: Backoff = { attempts: 5, minDelayMs: 250, maxDelayMs: 8_000 }

export function backoffOf(options: RetryOptions = {}): Backoff {
  return { ...defaults, ...options }
}

/**
 * Runs `attempt` until it succeeds. After an error that `delayOf` gives a delay for (in milliseconds), it waits and runs
 * it again; any other error is thrown.
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

/** How long to wait after so many failures; undefined when these were enough. */
export function backoffDelay(backoff: Backoff, failures: number): number | undefined {
  return failures < backoff.attempts ? jitteredDelay(backoff, failures) : undefined
}

/** A random time that may be twice as long after each failure, so that clients do not return all at once ("full jitter"). */
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

/** Why a signal was aborted. React Native keeps no reason. */
export function abortReason(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error('This was aborted.'), { name: 'AbortError' })
}

/** The default of CALL_TIMEOUT_MS, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 10_000

/** Thrown when a call took too long. Its effects may have happened, or may still happen. */
class TimeoutError extends Error {
  constructor(timeout_ms: number) {
    super(`no answer within ${timeout_ms} ms`)
    this.name = 'TimeoutError'
  }
}

/** Whether an error or its cause is a TimeoutError. */
export function isTimeout(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof Error && error.cause instanceof TimeoutError)
}

/**
 * Waits for a call at most `timeout_ms`. The call itself continues: D1, R2 and Durable Objects have no cancellation.
 *
 * @throws TimeoutError, and what the call throws
 */
export function withTimeout<Answer>(timeout_ms: number, call: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(timeout_ms)), timeout_ms)
    call.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

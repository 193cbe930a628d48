/** What a call is given when nothing else is configured, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 10_000

/** Thrown when a call was not answered in time. What it asked for may have happened, or may happen yet. */
class TimeoutError extends Error {
  constructor(timeout_ms: number) {
    super(`no answer within ${timeout_ms} ms`)
    this.name = 'NoAnswer'
  }
}

/** Whether something failed because a call was not answered in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof Error && error.cause instanceof TimeoutError)
}

/**
 * The answer of a call that may never come, unless it takes longer than `timeout_ms`. Nothing can take the call back:
 * D1, R2 and objects know no cancelling.
 *
 * @throws NoAnswer, and what the call throws
 */
export async function withTimeout<Answer>(timeout_ms: number, call: Promise<Answer>): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new TimeoutError(timeout_ms)), timeout_ms)
  try {
    return await Promise.race([call, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

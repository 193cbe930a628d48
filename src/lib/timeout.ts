/** What a call is given when nothing else is configured, in milliseconds. */
export const STANDARD_TIMEOUT_MS = 10_000

/** Thrown when a call was not answered in time. What it asked for may have happened, or may happen yet. */
class NoAnswer extends Error {
  constructor(timeout_ms: number) {
    super(`no answer within ${timeout_ms} ms`)
    this.name = 'NoAnswer'
  }
}

/** Whether something failed because a call was not answered in time. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof Error && error.cause instanceof NoAnswer)
}

/**
 * The answer of a call that may never come, unless it takes longer than `timeout_ms`. Nothing can take the call back:
 * D1, R2 and objects know no cancelling.
 *
 * @throws NoAnswer, and what the call throws
 */
export async function within<Answer>(timeout_ms: number, call: Promise<Answer>): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new NoAnswer(timeout_ms)), timeout_ms)
  try {
    return await Promise.race([call, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

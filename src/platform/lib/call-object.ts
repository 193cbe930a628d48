import { withTimeout } from './timeout.ts'

/** The properties of an exception from a call to a Durable Object. `remote`: the object's own code threw it. */
interface CallError {
  retryable?: boolean
  overloaded?: boolean
  durableObjectReset?: boolean
  remote?: boolean
}

/** A call to a Durable Object. */
export interface ObjectCall<Stub, Answer> {
  /** Makes a stub. */
  stub: () => Stub
  call: (stub: Stub) => Promise<Answer>
  /** Whether a repetition has the effect of one call. */
  isIdempotent: boolean
  timeout_ms: number
  /** The error to throw when the object cannot be reached or does not answer in time. */
  unanswered: (cause: unknown) => Error
}

/**
 * Calls a Durable Object. An idempotent call is repeated once when the platform allows it, on a new stub, because a stub is
 * unusable after an exception.
 *
 * @throws what `unanswered` makes; what the object's own code throws
 */
export async function callObject<Stub, Answer>(options: ObjectCall<Stub, Answer>): Promise<Answer> {
  const { stub, call, isIdempotent, timeout_ms, unanswered } = options
  try {
    return await withTimeout(timeout_ms, call(stub()))
  } catch (error) {
    const { retryable, overloaded, durableObjectReset, remote } = callError(error)
    if (isIdempotent && retryable && !overloaded) return callObject({ ...options, isIdempotent: false })
    if (remote && !retryable && !overloaded && !durableObjectReset) throw error
    throw unanswered(error)
  }
}

function callError(error: unknown): CallError {
  return typeof error === 'object' && error !== null ? error : {}
}

import type { RequestContext } from '../../platform/context.ts'
import { unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/lib/timeout.ts'
import type { InboxMethods } from './rpc.ts'

/** The properties of an exception from a call to a Durable Object. `remote`: the object's own code threw it. */
interface CallError {
  retryable?: boolean
  overloaded?: boolean
  durableObjectReset?: boolean
  remote?: boolean
}

/**
 * Calls a user's inbox. An idempotent call is repeated once when the platform allows it, on a new stub, because a stub is
 * unusable after an exception.
 *
 * @throws UNAVAILABLE when the inbox cannot be reached or does not answer in time
 */
export async function callInbox<Answer>(
  ctx: Pick<RequestContext, 'inboxes' | 'config'>,
  user_id: string,
  call: (inbox: DurableObjectStub<InboxMethods>) => Promise<Answer>,
  isIdempotent: boolean,
): Promise<Answer> {
  const { inboxes, config } = ctx
  try {
    return await withTimeout(config.CALL_TIMEOUT_MS, call(inboxes.getByName(user_id)))
  } catch (error) {
    const { retryable, overloaded, durableObjectReset, remote } = callError(error)
    if (isIdempotent && retryable && !overloaded) return callInbox(ctx, user_id, call, false)
    if (remote && !retryable && !overloaded && !durableObjectReset) throw error
    throw unavailable('The inbox did not answer. Try again.', error)
  }
}

function callError(error: unknown): CallError {
  return typeof error === 'object' && error !== null ? error : {}
}

import type { RequestContext } from '../context.ts'
import { unavailable } from '../errors.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Inbox } from './inbox.ts'

/**
 * What the platform says of a failed call to an object. `remote`: the object itself threw, so it is our mistake, unless
 * the platform had reset it.
 */
interface Failure {
  retryable?: boolean
  overloaded?: boolean
  durableObjectReset?: boolean
  remote?: boolean
}

/**
 * Asks a user's inbox something: one call. `again`: whether asking twice comes to the same, so that a call that the
 * platform lost is repeated once, through a new stub, since one is dead after an exception.
 *
 * @throws UNAVAILABLE when the object can't be reached, or does not answer in time
 */
export async function callInbox<Answer>(
  ctx: Pick<RequestContext, 'inboxes' | 'config'>,
  user_id: string,
  ask: (inbox: DurableObjectStub<Inbox>) => Promise<Answer>,
  again: boolean,
): Promise<Answer> {
  const { inboxes, config } = ctx
  try {
    return await withTimeout(config.CALL_TIMEOUT_MS, ask(inboxes.getByName(user_id)))
  } catch (error) {
    const { retryable, overloaded, durableObjectReset, remote } = failureOf(error)
    if (again && retryable && !overloaded) return callInbox(ctx, user_id, ask, false)
    if (remote && !retryable && !overloaded && !durableObjectReset) throw error
    throw unavailable('The inbox did not answer. Try again.', error)
  }
}

function failureOf(error: unknown): Failure {
  return typeof error === 'object' && error !== null ? error : {}
}

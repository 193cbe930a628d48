import type { Work } from '../context.ts'
import { unavailable } from '../errors.ts'
import { within } from '../lib/timeout.ts'
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
export async function reach<Answer>(
  work: Pick<Work, 'inboxes' | 'config'>,
  user_id: string,
  ask: (inbox: DurableObjectStub<Inbox>) => Promise<Answer>,
  again: boolean,
): Promise<Answer> {
  const { inboxes, config } = work
  try {
    return await within(config.CALL_TIMEOUT_MS, ask(inboxes.getByName(user_id)))
  } catch (error) {
    const { retryable, overloaded, durableObjectReset, remote } = failureOf(error)
    if (again && retryable && !overloaded) return reach(work, user_id, ask, false)
    if (remote && !retryable && !overloaded && !durableObjectReset) throw error
    throw unavailable('The inbox did not answer. Try again.', error)
  }
}

function failureOf(error: unknown): Failure {
  return typeof error === 'object' && error !== null ? error : {}
}

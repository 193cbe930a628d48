import { unavailable } from '../errors.ts'
import type { Work } from '../work.ts'
import type { Inbox } from './inbox.ts'

/** What the platform says of a failed call to an object. `remote`: the object itself threw, so it is our mistake. */
interface Failure {
  retryable?: boolean
  overloaded?: boolean
  remote?: boolean
}

/**
 * Asks a user's inbox something: one call. `again`: whether asking twice comes to the same, so that a call that the
 * platform lost is repeated once, through a new stub, since one is dead after an exception.
 *
 * @throws UNAVAILABLE when the object can't be reached
 */
export async function reach<Answer>(
  { inboxes }: Pick<Work, 'inboxes'>,
  user_id: string,
  ask: (inbox: DurableObjectStub<Inbox>) => Promise<Answer>,
  again: boolean,
): Promise<Answer> {
  try {
    return await ask(inboxes.getByName(user_id))
  } catch (error) {
    const { retryable, overloaded, remote } = failureOf(error)
    if (again && retryable && !overloaded) return reach({ inboxes }, user_id, ask, false)
    if (remote && !retryable && !overloaded) throw error
    throw unavailable('The inbox did not answer. Try again.', error)
  }
}

function failureOf(error: unknown): Failure {
  return typeof error === 'object' && error !== null ? error : {}
}

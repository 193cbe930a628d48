import type { RequestContext } from '../../platform/context.ts'
import { unavailable } from '../../platform/errors.ts'
import { callObject } from '../../platform/lib/call-object.ts'
import type { InboxMethods } from './rpc.ts'

/**
 * Calls a user's inbox. An idempotent call may be repeated.
 *
 * @throws UNAVAILABLE when the inbox cannot be reached or does not answer in time
 */
export function callInbox<Answer>(
  { inboxes, config }: Pick<RequestContext, 'inboxes' | 'config'>,
  user_id: string,
  call: (inbox: DurableObjectStub<InboxMethods>) => Promise<Answer>,
  isIdempotent: boolean,
): Promise<Answer> {
  return callObject({
    stub: () => inboxes.getByName(user_id),
    call,
    isIdempotent,
    timeout_ms: config.CALL_TIMEOUT_MS,
    unanswered: (cause) => unavailable('The inbox did not answer. Try again.', cause),
  })
}

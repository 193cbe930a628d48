import { nearTo } from '../../platform/config/namespaces.ts'
import type { Region } from '../../platform/config/places.ts'
import type { InboxContext, RequestContext } from '../../platform/context.ts'
import { ApiError, unavailable } from '../../platform/errors.ts'
import { callObject } from '../../platform/lib/durable-object.ts'
import type { InboxMethods } from './rpc.ts'
import type { NotificationSelection } from './schema.ts'

/**
 * Calls a user's inbox. An idempotent call may be repeated. With a `region` an inbox whose first call this is is made there.
 *
 * @throws UNAVAILABLE when the inbox cannot be reached or does not answer in time
 */
export function callInbox<Answer>(
  { inboxes, config }: Pick<RequestContext, 'inboxes' | 'config'>,
  user_id: string,
  call: (inbox: DurableObjectStub<InboxMethods>) => Promise<Answer>,
  isIdempotent: boolean,
  region?: Region,
): Promise<Answer> {
  return callObject({
    stub: () => inboxes.getByName(user_id, nearTo(region, config)),
    call,
    isIdempotent,
    timeout_ms: config.CALL_TIMEOUT_MS,
    unanswered: (cause) => unavailable('The inbox did not answer. Try again.', cause),
  })
}

/**
 * Marks the caller's notifications with these ids as read; without ids, all. Returns how many were unread. The call is not
 * repeated after a failure: a repetition would count none.
 */
export function markRead(ctx: InboxContext, ids: string[] = []): Promise<number> {
  const wanted = ids.length > 0 ? ids : null
  return callInbox(ctx, ctx.user_id, (inbox) => inbox.markRead(wanted), false)
}

/** Deletes one of the caller's notifications permanently. @throws NOTIFICATION_NOT_FOUND */
export async function deleteNotification(ctx: InboxContext, id: string): Promise<void> {
  const isDeleted = await callInbox(ctx, ctx.user_id, (inbox) => inbox.remove(id), false)
  if (!isDeleted) throw new ApiError('NOTIFICATION_NOT_FOUND')
}

/**
 * Deletes many of the caller's notifications permanently. Returns how many there were. The call is not repeated after a
 * failure: a repetition would count none.
 */
export function deleteNotifications(ctx: InboxContext, selection: NotificationSelection): Promise<number> {
  return callInbox(ctx, ctx.user_id, (inbox) => inbox.removeMany(selection), false)
}

import type { InboxContext } from '../../platform/context.ts'
import { ApiError } from '../../platform/errors.ts'
import { callInbox } from './call-inbox.ts'
import type { NotificationSelection } from './schema.ts'

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

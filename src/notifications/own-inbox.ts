import type { RequestContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { callInbox } from './call-inbox.ts'
import type { ListNotifications, Notification } from './schema.ts'
import type { InboxCounts } from './store.ts'

/** A page of the caller's notifications, newest first, and how the whole inbox stood then. */
export function listNotifications(
  ctx: RequestContext,
  query: ListNotifications,
): Promise<{ notifications: Notification[] } & InboxCounts> {
  return callInbox(ctx, ctx.user_id, (inbox) => inbox.list(query), true)
}

/** How the caller's inbox stands. */
export function readCounts(ctx: RequestContext): Promise<InboxCounts> {
  return callInbox(ctx, ctx.user_id, (inbox) => inbox.counts(), true)
}

/** Marks notifications of the caller's as read: those named, or all when none is. Tells how many were unread. */
export function markRead(ctx: RequestContext, notification_ids: string[] = []): Promise<number> {
  const ids = notification_ids.length === 0 ? null : notification_ids
  return callInbox(ctx, ctx.user_id, (inbox) => inbox.markRead(ids), false)
}

/** Removes one of the caller's notifications for good. @throws NOTIFICATION_NOT_FOUND */
export async function deleteNotification(ctx: RequestContext, id: string): Promise<void> {
  const removed = await callInbox(ctx, ctx.user_id, (inbox) => inbox.remove(id), false)
  if (!removed) throw new ApiError('NOTIFICATION_NOT_FOUND')
}

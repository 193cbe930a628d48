import type { Work } from '../context.ts'
import { ApiError } from '../errors.ts'
import { reach } from './call-inbox.ts'
import type { ListNotifications, Notification } from './schema.ts'
import type { Standing } from './store.ts'

/** A page of the caller's notifications, newest first, and how the whole inbox stood then. */
export function listNotifications(
  work: Work,
  query: ListNotifications,
): Promise<{ notifications: Notification[] } & Standing> {
  return reach(work, work.user_id, (inbox) => inbox.list(query), true)
}

/** How the caller's inbox stands. */
export function readStanding(work: Work): Promise<Standing> {
  return reach(work, work.user_id, (inbox) => inbox.standing(), true)
}

/** Marks notifications of the caller's as read: those named, or all when none is. Tells how many were unread. */
export function markRead(work: Work, notification_ids: string[] = []): Promise<number> {
  const ids = notification_ids.length === 0 ? null : notification_ids
  return reach(work, work.user_id, (inbox) => inbox.markRead(ids), false)
}

/** Removes one of the caller's notifications for good. @throws NOTIFICATION_NOT_FOUND */
export async function deleteNotification(work: Work, id: string): Promise<void> {
  const removed = await reach(work, work.user_id, (inbox) => inbox.remove(id), false)
  if (!removed) throw new ApiError('NOTIFICATION_NOT_FOUND')
}

import type { InboxEvent, InboxPage, Item, UnknownEvent } from './messages.ts'

/** The newest notifications of an inbox, without a gap, as they were at one seq. */
export interface InboxView<One extends Item> {
  readonly seq: number
  /** Of the whole inbox. */
  readonly unread: number
  /** Of the whole inbox. */
  readonly total: number
  /** Newest first. */
  readonly notifications: readonly One[]
}

/** The view after the event whose seq is `view.seq + 1`. */
export function applyEvent<One extends Item>(
  view: InboxView<One>,
  event: InboxEvent<One> | UnknownEvent,
): InboxView<One> {
  const { notifications, total } = view
  const { seq, unread } = event
  if (event.type === 'notification')
    return { seq, unread, total: total + 1, notifications: [event.data, ...notifications] }
  if (event.type === 'notification_deleted') {
    const { notification_id } = event.data
    return {
      seq,
      unread,
      total: total - 1,
      notifications: without(notifications, new Set([notification_id])),
    }
  }
  if (event.type === 'notifications_deleted') {
    const { notification_ids } = event.data
    if (notification_ids === null) return { seq, unread, total: 0, notifications: [] }
    const left = without(notifications, new Set(notification_ids))
    return { seq, unread, total: total - notification_ids.length, notifications: left }
  }
  if (event.type === 'notifications_read') {
    const { notification_ids } = event.data
    return {
      seq,
      unread,
      total,
      notifications: markedRead(notifications, notification_ids && new Set(notification_ids)),
    }
  }
  return { seq, unread, total, notifications }
}

/**
 * Appends a page that was read at the view's seq. `offset` is the position of the page in the inbox. Undefined when there is
 * a gap between the two. A page without notifications is the end of the list, whatever its total: to read on would have no end.
 */
export function extendView<One extends Item>(
  view: InboxView<One>,
  page: InboxPage<One>,
  offset: number,
): { view: InboxView<One>; added: One[] } | undefined {
  const known = view.notifications.length - offset
  if (known < 0) return undefined
  const added = page.notifications.slice(known)
  const notifications = [...view.notifications, ...added]
  const { seq, unread } = page
  const total = page.notifications.length === 0 ? notifications.length : page.total
  return { view: { seq, unread, total, notifications }, added }
}

/** The notifications, those of `ids` marked as read; null marks all. */
export function markedRead<One extends Item>(
  notifications: readonly One[],
  ids: ReadonlySet<string> | null,
): readonly One[] {
  return notifications.map((notification) =>
    notification.state === 'unread' && (ids === null || ids.has(notification.id))
      ? { ...notification, state: 'read' }
      : notification,
  )
}

function without<One extends Item>(notifications: readonly One[], ids: ReadonlySet<string>): readonly One[] {
  return notifications.filter(({ id }) => !ids.has(id))
}

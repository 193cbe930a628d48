import { type Inbox, type Notice, now, unreadIn, type World } from './state.ts'

/** A change to an inbox, with its next seq. */
export function tell(inbox: Inbox, type: string, data: unknown): void {
  inbox.seq++
  inbox.events.push({ type, seq: inbox.seq, unread: unreadIn(inbox), data })
}

/** A notification as answers have it. */
export function shownNotice({ expires_at, announcement, ...notice }: Notice) {
  return notice
}

/** Adds a notification, for which room has to be made then. */
export function addNotice(
  world: World,
  inbox: Inbox,
  { id, type, data, expires_at, announcement }: Omit<Notice, 'state' | 'created_at'>,
): void {
  const notice: Notice = { id, type, data, state: 'unread', created_at: now(world), expires_at, announcement }
  inbox.notices.push(notice)
  tell(inbox, 'notification', shownNotice(notice))
}

/** The oldest go when there are more than may be. */
export function makeRoom({ limits }: World, inbox: Inbox): void {
  const surplus = Math.max(0, inbox.notices.length - limits.MAX_NOTIFICATIONS)
  for (const notice of inbox.notices.slice(0, surplus)) removeNotice(inbox, notice)
}

export function removeNotice(inbox: Inbox, notice: Notice): void {
  inbox.notices = inbox.notices.filter(({ id }) => id !== notice.id)
  tell(inbox, 'notification_deleted', { notification_id: notice.id })
}

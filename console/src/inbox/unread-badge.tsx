import { usePaneInbox } from './pane-inbox.tsx'

/** The count of unread notifications, on the tab of the inbox, which `id` describes. Nothing while there is none. */
export function UnreadBadge({ id }: { id: string }) {
  const unread = usePaneInbox().snapshot?.unread ?? 0
  if (unread === 0) return null
  return (
    <span className="tab-badge" aria-hidden="true">
      {unread > 99 ? '99+' : unread}
      <span id={id} className="hidden-text">
        {unread} unread
      </span>
    </span>
  )
}

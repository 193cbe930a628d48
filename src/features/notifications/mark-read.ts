import type { InboxContext } from '../../platform/context.ts'
import { callInbox } from './call-inbox.ts'

/**
 * Marks the caller's notifications with these ids as read; without ids, all. Returns how many were unread. The call is not
 * repeated after a failure: a repetition would count none.
 */
export function markRead(ctx: InboxContext, ids: string[] = []): Promise<number> {
  const wanted = ids.length > 0 ? ids : null
  return callInbox(ctx, ctx.user_id, (inbox) => inbox.markRead(wanted), false)
}

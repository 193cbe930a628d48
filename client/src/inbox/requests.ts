import { type List, listByOffset } from '../list.ts'
import { type InboxOperations, inboxOf } from '../operations.ts'
import type { RequestOptions } from '../options.ts'
import type { NotificationState } from '../records.ts'
import type { Transport } from '../transport.ts'
import { Inbox, type InboxOptions } from './inbox.ts'
import type { InboxPage } from './messages.ts'
import type { KnownType, Notification, OwnTypes } from './notification.ts'
import { inboxService, notificationPage } from './service.ts'

/** Which notifications to list. */
export interface NotificationQuery<Types extends OwnTypes<Types>> {
  /** The most entries of a page. */
  limit?: number
  /** How many of the newest are left out. */
  offset?: number
  state?: NotificationState
  type?: KnownType<Types>
}

/** The notifications of the user: a live copy, and single requests. */
export interface InboxRequests<Types extends OwnTypes<Types>> extends InboxOperations {
  /**
   * Opens a live copy of the user's inbox: a list, the unread count, and an event for each change. The inbox reconnects by
   * itself until it is closed. On behalf of a player there is none: a TypeError.
   *
   * @example
   * const inbox = client.inbox.open()
   * inbox.on('change', ({ notifications, unread }) => show(notifications, unread))
   */
  open(options?: InboxOptions): Inbox<Types>
  /**
   * List the caller’s notifications, newest first; with `state` or `type`, only those. `total` and `unread` are those of the
   * whole inbox. A socket whose `after` is the `seq` of a page reports every later change.
   *
   * @throws ServiceError, NetworkError
   */
  list(
    given?: NotificationQuery<Types>,
    options?: RequestOptions,
  ): List<InboxPage<Notification<Types>>, Notification<Types>>
}

export function inboxRequestsOf<Types extends OwnTypes<Types>>(transport: Transport): InboxRequests<Types> {
  return {
    ...inboxOf(transport),
    open: (options) => {
      transport.checkOwn('A live inbox')
      return new Inbox(inboxService<Types>(transport), options)
    },
    list: (given = {}, options) =>
      listByOffset(
        given,
        (given) => notificationPage<Types>(transport.repeatable('GET', '/v1/notifications', given, options)),
        (page) => page.notifications,
      ),
  }
}

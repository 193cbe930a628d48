import { bodyWithSeq, done } from '../answers.ts'
import { NetworkError, ServiceError } from '../errors.ts'
import { type InboxOperations, inboxOf } from '../operations.ts'
import type { RequestOptions } from '../options.ts'
import type { DeleteNotifications, NotificationPage } from '../records.ts'
import type { Transport } from '../transport.ts'
import { hasId, type InboxPage, type Item } from './messages.ts'
import type { Notification, OwnTypes } from './notification.ts'
import type { PageRequest } from './replica.ts'

/** The requests of an inbox. */
export interface InboxService<One extends Item> {
  /** The URL of the service without `/v1`, and without a trailing slash. */
  readonly baseUrl: string
  token(request: { renew: boolean }): Promise<string>
  /** Lists a page. The transport does not repeat it: the inbox does, and emits `error` each time. */
  list(page: PageRequest, options: RequestOptions): Promise<InboxPage<One>>
  /** Resolves when the service accepts the user's token; otherwise rejects with the reason. */
  check(options: RequestOptions): Promise<void>
  /** Marks these notifications as read; undefined: all. */
  markRead(ids: string[] | undefined, options: RequestOptions): Promise<void>
  /** Deletes a notification. Resolves also when it no longer exists. */
  delete(id: string, options: RequestOptions): Promise<void>
  deleteSelected(selection: DeleteNotifications, options: RequestOptions): Promise<void>
}

/** The requests of an inbox, sent by a client's transport. */
export function inboxService<Types extends OwnTypes<Types>>(
  transport: Transport,
): InboxService<Notification<Types>> {
  const operations: InboxOperations = inboxOf(transport)
  return {
    baseUrl: transport.baseUrl,
    token: (request) => transport.token(request),
    list: ({ limit, offset }, options) =>
      notificationPage<Types>(transport.unrepeatable('GET', '/v1/notifications', { limit, offset }, options)),
    check: (options) => done(transport.unrepeatable('GET', '/v1/notifications/unread-count', {}, options)),
    // Without ids, a repetition would also change notifications that have arrived since.
    markRead: (ids, options) =>
      done(
        ids
          ? transport.repeatable('POST', '/v1/notifications/read', { notification_ids: ids }, options)
          : transport.unrepeatable('POST', '/v1/notifications/read', {}, options),
      ),
    delete: (id, options) =>
      operations.delete({ id }, options).catch((error) => {
        if (!(error instanceof ServiceError) || error.code !== 'NOTIFICATION_NOT_FOUND') throw error
      }),
    deleteSelected: (body, options) =>
      done(
        body.notification_ids
          ? transport.repeatable('POST', '/v1/notifications/delete', body, options)
          : transport.unrepeatable('POST', '/v1/notifications/delete', body, options),
      ),
  }
}

/** The page of an answer, with the game's own types. */
export async function notificationPage<Types extends OwnTypes<Types>>(
  request: Promise<Response>,
): Promise<InboxPage<Notification<Types>>> {
  const { notifications, ...counts } = await bodyWithSeq<NotificationPage>(request)
  return { ...counts, notifications: notifications.map((one) => typed<Notification<Types>>(one)) }
}

/** An item of an answer, as the studio's types describe it: the service does not check the data of the game's own types. */
export function typed<One extends { id: string }>(item: unknown): One {
  if (hasId<One>(item)) return item
  throw new NetworkError('The answer has an item without an id.')
}
